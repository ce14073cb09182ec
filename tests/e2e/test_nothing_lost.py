"""Full disks, shut folders, two processes, damage, Ctrl-C: one message, exit code 2 or 130, and nothing is lost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy import STUDY, edited, write_toy
from toy import command as in_folder

from dse import Run
from dse.errors import RunFolderError
from dse.run.disk.folder import digest
from dse.run.disk.ledger import BlockLedger

pytestmark = [pytest.mark.kills, pytest.mark.slow]

resource = pytest.importorskip("resource", reason="limits of file sizes are those of Unix")

ROOM = "what is finished is kept: make room and give the same command again"
CHUNKS = 16
KEEP = "another --name or --out, or --fresh (keeps the old run in .old)"
TABLES = ("frontier.parquet", "designs/sample.parquet")
MANY = edited(
    STUDY,
    ("powers_of_two = [1, 64]", "range = [1, 200]"),
    ('values = ["1 GHz", "2 GHz"]', 'linspace = ["0.5 GHz", "3 GHz", 300]'),
    ('method = "auto"', 'method = "exhaustive"'),
)
# Small chunks, so that a run has several, and a search that can be waited for.
SCRIPT = """
import sys, time
from dse.search.bundles import exhaustive
from dse.search.bundles.exhaustive import ExhaustiveProduct
blocks = exhaustive.block_shape
exhaustive.block_shape = lambda lengths: blocks(lengths, 4000)
ExhaustiveProduct.__init__.__kwdefaults__["chunk"] = 4000
whole, wait = ExhaustiveProduct.run, float(sys.argv.pop(1))
def run(self, *rest):
    time.sleep(wait)
    return whole(self, *rest)
ExhaustiveProduct.run = run
from dse.cli.main import main
main(sys.argv[1:])
"""


def begin(
    folder: Path, *arguments: str, limit: int | None = None, wait: float = 0.0, plain: bool = False
) -> subprocess.Popen:
    """Start a command in a process of its own, whose files cannot grow beyond a limit."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

    return subprocess.Popen(
        [sys.executable, *(["-m", "dse"] if plain else ["-c", SCRIPT, str(wait)]), *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
        preexec_fn=limited,
        start_new_session=True,
    )


def shell(folder: Path, *arguments: str, **more) -> tuple[int, str, str]:
    """Run a command in a process of its own."""
    process = begin(folder, *arguments, **more)
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in out + err
    return process.returncode, out, err


def chunks_in(folder: Path) -> int:
    """How many finished chunks a ledger holds."""
    base = sqlite3.connect(f"file:{folder}/progress.sqlite?mode=ro", uri=True)
    try:
        return base.execute("SELECT count(*) FROM chunks").fetchone()[0]
    finally:
        base.close()


def bytes_of(folder: Path) -> list[str]:
    return [digest(folder / name) for name in TABLES]


def wait_for_chunks(folder: Path, count: int) -> None:
    """Wait until a run that is going on has stored some chunks: its ledger is shut, but grows."""
    file = folder / "progress.sqlite"
    deadline, first = time.monotonic() + 30, None
    while time.monotonic() < deadline:
        if file.is_file() and file.stat().st_size:
            first = first or time.monotonic()
            if time.monotonic() - first > 0.1 * (count + 1):
                return
        time.sleep(0.01)
    raise AssertionError("the run does not begin")


def small_chunks(patch: pytest.MonkeyPatch) -> None:
    """Let the searches of this process have chunks of 4000 designs."""
    from dse.search.bundles import exhaustive

    blocks = exhaustive.block_shape
    patch.setattr(exhaustive, "block_shape", lambda lengths: blocks(lengths, 4000))
    patch.setitem(exhaustive.ExhaustiveProduct.__init__.__kwdefaults__, "chunk", 4000)


@pytest.fixture(scope="module")
def quiet_run(tmp_path_factory):
    """The folder of a run of the study of sixty thousand designs that nothing disturbed."""
    folder = tmp_path_factory.mktemp("quiet")
    write_toy(folder).write_text(MANY)
    with pytest.MonkeyPatch.context() as patch:
        small_chunks(patch)
        assert in_folder("run", "toy.toml", "--out", "quiet", folder=folder).code == 0
    assert chunks_in(folder / "quiet") == CHUNKS
    return folder / "quiet"


@pytest.fixture
def many(toy, quiet_run, monkeypatch):
    """A study of sixty thousand designs, and its quiet run in the folder quiet/."""
    small_chunks(monkeypatch)
    (toy / "toy.toml").write_text(MANY)
    shutil.copytree(quiet_run, toy / "quiet")
    return toy


@pytest.fixture
def small_disk(tmp_path):
    """A function that mounts a file system of some kilobytes."""
    mounted = []

    def mount(kilobytes: int, *more: str) -> Path:
        place = tmp_path / "disk"
        place.mkdir(exist_ok=True)
        again = [] if place not in mounted else ["remount"]
        options = ",".join([*again, f"size={kilobytes}k", *more])
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(place)], capture_output=True, timeout=120
        )
        if done.returncode:
            pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
        if place not in mounted:
            mounted.append(place)
        return place

    if not hasattr(os, "geteuid") or os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root on Linux may mount a small file system")
    yield mount
    for place in mounted:
        subprocess.run(["umount", str(place)], check=True, timeout=120)


@pytest.mark.parametrize(
    ("kilobytes", "file", "why"),
    [
        (8, "progress.sqlite", "database or disk is full"),
        (68, "progress.sqlite", "database or disk is full"),
        (300, "designs/sample.parquet", "No space left on device"),
    ],
)
def test_a_full_disk(many, dse, small_disk, kilobytes, file, why):
    disk = small_disk(kilobytes)
    command = ("run", "toy.toml", "--out", "disk/run")
    told = (2, "", f"error: disk/run/{file}: cannot be written: {why}; {ROOM}\n")
    assert dse(*command) == told
    assert dse(*command) == told, "the same again while the disk is full"
    assert not (disk / "run/manifest.json").exists()
    assert not list(disk.rglob("*.tmp")), "no half of a file is left"
    small_disk(64_000)
    kept = chunks_in(disk / "run") if kilobytes > 8 else 0
    assert (kept > 0) == (kilobytes > 8)
    dse.good(*command)
    assert bytes_of(disk / "run") == bytes_of(many / "quiet")
    assert chunks_in(disk / "run") == CHUNKS


def test_a_report_on_a_full_disk(many, dse, small_disk):
    """The run is kept; the page comes with the next call."""
    disk = small_disk(3_500)
    command = ("run", "toy.toml", "--out", "disk/run", "--report")
    told = f"error: disk/run/report.html: cannot be written: No space left on device; {ROOM}\n"
    assert dse(*command) == (2, "", told)
    assert dse("report", "disk/run") == (2, "", told)
    assert dse.good("show", "disk/run").out
    assert not list(disk.rglob("*.tmp"))
    small_disk(64_000)
    before = bytes_of(disk / "run")
    dse.good(*command)
    assert (disk / "run/report.html").stat().st_size > 1_000_000
    assert bytes_of(disk / "run") == before == bytes_of(many / "quiet")


@pytest.mark.parametrize(
    ("limit", "file", "why"),
    [
        (20_000, "progress.sqlite", "disk I/O error"),
        (200_000, "designs/sample.parquet", "File too large"),
        (3_000_000, "report.html", "File too large"),
    ],
)
def test_files_that_cannot_grow(many, dse, limit, file, why):
    command = ("run", "toy.toml", "--out", "grows", *(["--report"] if file == "report.html" else []))
    told = f"error: grows/{file}: cannot be written: {why}; {ROOM}\n"
    assert shell(many, *command, limit=limit) == (2, "", told)
    dse.good(*command)
    assert (many / "grows" / file).is_file()
    assert bytes_of(many / "grows") == bytes_of(many / "quiet")


def test_a_manifest_that_cannot_be_written(many, dse, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("dse.run.disk.folder._put", full)
        told = f"error: other/manifest.json: cannot be written: No space left on device; {ROOM}\n"
        assert dse("run", "toy.toml", "--out", "other") == (2, "", told)
    told = "error: other: the run is not finished; the same 'dse run' command goes on with it\n"
    assert dse("show", "other") == (2, "", told)
    dse.good("run", "toy.toml", "--out", "other")
    assert bytes_of(many / "other") == bytes_of(many / "quiet")


def test_a_disk_that_is_read_only(toy, dse, small_disk):
    disk = small_disk(4_000)
    dse.good("run", "toy.toml", "--out", "disk/old")
    small_disk(4_000, "ro")
    shut = "error: disk/new: cannot be written: Read-only file system\n"
    assert dse("run", "toy.toml", "--out", "disk/new") == (2, "", shut)
    assert dse("run", "toy.toml", "--out", "disk/old", "--fresh").code == 2
    told = "error: disk/old/report.html: cannot be written: Read-only file system\n"
    assert dse("report", "disk/old") == (2, "", told)
    for command in (["show"], ["explain"], ["verify"], ["pick", "--min", "time"]):
        dse.good(*command, "disk/old")
    dse.good("run", "toy.toml", "--out", "disk/old")  # it is there already
    small_disk(4_000, "rw")
    assert sorted(p.name for p in disk.iterdir()) == ["old"]


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ("toy.toml/run", "cannot be written: Not a directory"),
        ("/proc/run", "cannot be written: No such file or directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_places_where_no_folder_can_be(toy, dse, out, why):
    result = dse("run", "toy.toml", "--out", out)
    assert result == (2, "", f"error: {out}: {why}\n")


def test_two_processes_at_one_run(many, dse):
    """The second is refused, with --fresh too, and the first ends as if it had been alone."""
    first = begin(many, "run", "toy.toml", "--out", "busy", wait=0.12)
    wait_for_chunks(many / "busy", 2)
    told = "error: busy/progress.sqlite: another process is at work on this run\n"
    try:
        assert dse("run", "toy.toml", "--out", "busy") == (2, "", told)
        assert dse("run", "toy.toml", "--out", "busy", "--fresh") == (2, "", told)
        assert first.poll() is None, "the first process was still at work"
    finally:
        out, err = first.communicate(timeout=60)
    # A slow machine takes so long that progress is shown.
    faults = [line for line in err.splitlines() if not line.startswith("searching: ")]
    assert (first.returncode, faults) == (0, [])
    assert "run:    busy" in out
    assert bytes_of(many / "busy") == bytes_of(many / "quiet")
    assert [p.name for p in many.glob("busy*")] == ["busy"]


STOPPED = "the same command goes on"
ASKED = "stopping at the end of this round; once more ends at once\n"


def test_ctrl_c(many, dse):
    """The chunk is ended, what is known is told, exit code 130, and the same command goes on."""
    command = ("run", "toy.toml", "--out", "stopped")
    process = begin(many, *command, wait=0.1)
    wait_for_chunks(many / "stopped", 3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert ASKED in err
    assert STOPPED in out + err
    assert 0 < chunks_in(many / "stopped") < CHUNKS
    dse.good(*command)
    assert bytes_of(many / "stopped") == bytes_of(many / "quiet")


@pytest.mark.parametrize("delay", [0.1, 0.6])
def test_ctrl_c_while_workers_start_or_work(toy, dse, delay):
    """A terminal sends it to the workers too, and they say nothing."""
    huge(toy)
    process = begin(toy, "run", "toy.toml", "--out", "stopped", "--jobs", "2", plain=True)
    wait_for_chunks(toy / "stopped", 0)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    if process.poll() is None:  # it came in the moment in which workers start, and is given once more
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert STOPPED in out + err
    assert "Traceback" not in err
    chunks_in(toy / "stopped")  # it can be read


def shared_memory(process: int) -> set[str]:
    """What a process has put into shared memory: its number stands in the names. Other tests run beside this one."""
    place = Path("/dev/shm")
    names = {file.name for file in place.iterdir()} if place.is_dir() else set()
    return {name for name in names if str(process) in re.split(r"[-_]", name)}


def wait_for_end(group: int, seconds: float = 10) -> None:
    """Wait until no process of a group is left."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("processes are left")


def huge(toy: Path) -> None:
    """Write a study that a test does not live to see the end of."""
    text = edited(MANY, ("range = [1, 200]", "range = [1, 40000]"), ('GHz", 300]', 'GHz", 20000]'))
    (toy / "toy.toml").write_text(text)


def test_R1_sigterm_ends_as_ctrl_c(many, dse):
    """The same, with exit code 143."""
    command = ("run", "toy.toml", "--out", "stopped")
    process = begin(many, *command, wait=0.1)
    wait_for_chunks(many / "stopped", 3)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert ASKED in err
    assert STOPPED in out + err
    dse.good(*command)
    assert bytes_of(many / "stopped") == bytes_of(many / "quiet")


@pytest.mark.parametrize(("delay", "everybody"), [(0.1, True), (1.0, False), (2.5, True)])
def test_R1_sigterm_while_workers_start_or_work(toy, delay, everybody):
    """Given to the parent alone or to its workers too: none is left, nor anything in shared memory."""
    huge(toy)
    process = begin(toy, "run", "toy.toml", "--out", "stopped", "--jobs", "2", plain=True)
    wait_for_chunks(toy / "stopped", 0)
    time.sleep(delay)
    if everybody:
        os.killpg(process.pid, signal.SIGTERM)
    else:
        process.terminate()
    out, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert STOPPED in out + err
    assert "Traceback" not in err
    wait_for_end(process.pid)
    assert shared_memory(process.pid) == set()
    chunks_in(toy / "stopped")  # it can be read


@pytest.mark.parametrize("delay", [0.1, 2.5])
def test_R1_workers_die_with_a_parent_that_is_killed(toy, delay):
    """Whoever reads what it prints is not kept waiting."""
    huge(toy)
    process = begin(toy, "run", "toy.toml", "--out", "killed", "--jobs", "2", plain=True)
    wait_for_chunks(toy / "killed", 0)
    time.sleep(delay)
    process.kill()
    process.communicate(timeout=20)
    assert process.returncode == -signal.SIGKILL
    wait_for_end(process.pid)
    assert shared_memory(process.pid) == set()


class Killed(BaseException):
    """The process dies."""


@pytest.fixture(scope="module")
def half_run(tmp_path_factory):
    """The folder of a run that died after some chunks."""
    folder = tmp_path_factory.mktemp("half")
    write_toy(folder).write_text(MANY)
    store, count = BlockLedger.store, [0]

    def dying(self, chunk, result):
        if count[0] == 7:
            raise Killed
        count[0] += 1
        store(self, chunk, result)

    with pytest.MonkeyPatch.context() as patch:
        small_chunks(patch)
        patch.setattr(BlockLedger, "store", dying)
        with pytest.raises(Killed):
            in_folder("run", "toy.toml", "--out", "half", folder=folder)
    assert chunks_in(folder / "half") == 7
    return folder / "half"


@pytest.fixture
def half(many, half_run):
    """The study and its quiet run, and a run of it that died, in the folder half/."""
    shutil.copytree(half_run, many / "half")
    return many


def changed(ledger: Path, statement: str, *values) -> None:
    base = sqlite3.connect(ledger)
    assert base.execute(statement, values).rowcount > 0
    base.commit()
    base.close()


def flip_in_blob(ledger: Path) -> None:
    """Flip one bit of the stored objectives, in the file itself."""
    base = sqlite3.connect(ledger)
    (points,) = base.execute("SELECT points FROM chunks WHERE length(points) > 0").fetchone()
    base.close()
    data = bytearray(ledger.read_bytes())
    data[data.index(points[:16]) + 3] ^= 1
    ledger.write_bytes(data)


def cut(ledger: Path) -> None:
    ledger.write_bytes(ledger.read_bytes()[:-3000])


def garbage(ledger: Path) -> None:
    ledger.write_bytes(b"no database at all" * 1000)


def foreign(ledger: Path) -> None:
    changed(ledger, "UPDATE identity SET text = ?", '["not", "ours"]')


def unreadable(ledger: Path) -> None:
    changed(ledger, "UPDATE identity SET text = ?", "{")


DAMAGE = {
    flip_in_blob: r"chunk \(0, \d\) was changed after it was written",
    cut: "database disk image is malformed",
    garbage: "file is not a database",
    foreign: "it does not tell which study it belongs to",
    unreadable: "Expecting property name .*",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_damaged_ledger(half, dse, damage):
    """It is told, nothing is overwritten, and --fresh keeps what was there."""
    ledger = half / "half/progress.sqlite"
    damage(ledger)
    before = ledger.read_bytes()
    result = dse("run", "toy.toml", "--out", "half")
    assert (result.code, result.out) == (2, "")
    assert re.fullmatch(
        "error: half/progress.sqlite: the ledger of finished blocks cannot be used: "
        f"{DAMAGE[damage]}; allowed: --fresh\n",
        result.err,
    )
    assert ledger.read_bytes() == before
    dse.good("run", "toy.toml", "--out", "half", "--fresh")
    assert (half / ".old/half-1/progress.sqlite").read_bytes() == before
    assert bytes_of(half / "half") == bytes_of(half / "quiet")


@pytest.mark.parametrize("part", ["engine", "numpy", "moocore", "machine"])
def test_a_ledger_of_another_engine(half, dse, part):
    ledger = half / "half/progress.sqlite"
    base = sqlite3.connect(ledger)
    identity = json.loads(base.execute("SELECT text FROM identity").fetchone()[0])
    base.close()
    identity["engine"][part] = "another"
    changed(ledger, "UPDATE identity SET text = ?", json.dumps(identity))
    told = f"error: half: the unfinished run there was started with another version of: {part}; allowed: {KEEP}\n"
    assert dse("run", "toy.toml", "--out", "half") == (2, "", told)
    assert chunks_in(half / "half") == 7


CHANGES = {
    "study": ("toy.toml", "20 kW", "10 kW"),
    "model model.py": ("model.py", "0.1 * np.sqrt(nodes)", "0.2 * np.sqrt(nodes)"),
    "table parts.csv": ("parts.csv", "fast,2,", "fast,3,"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_between_kill_and_resume(many, dse, monkeypatch, what):
    """Chunks of one study never meet those of another; with --fresh the old ones stay where they are, put aside."""
    axis = 'frequency = { linspace = ["0.5 GHz", "3 GHz", 300] }'
    (many / "toy.toml").write_text(edited(MANY, (axis, 'clock = { part = "parts.csv" }')))
    with monkeypatch.context() as patch:
        patch.setattr("dse.run.result.tables.frontier_table", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            dse("run", "toy.toml", "--out", "half")
    before = (many / "half/progress.sqlite").read_bytes()
    name, old, new = CHANGES[what]
    whole = (many / name).read_text()
    (many / name).write_text(edited(whole, (old, new)))
    told = f"error: half: the folder holds the unfinished run of a study that differs in: {what}; allowed: {KEEP}\n"
    assert dse("run", "toy.toml", "--out", "half") == (2, "", told)
    dse.good("run", "toy.toml", "--out", "half", "--fresh")
    assert (many / ".old/half-1/progress.sqlite").read_bytes() == before
    (many / name).write_text(whole)
    dse.good("run", "toy.toml", "--out", ".old/half-1")  # the old one goes on where it lies
    dse.good("run", "toy.toml", "--out", "calm")
    assert bytes_of(many / ".old/half-1") == bytes_of(many / "calm")


def flipped(data: bytes) -> bytes:
    changed = bytearray(data)
    changed[len(changed) // 3] ^= 4
    return bytes(changed)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("damage", [flipped, lambda data: data[:-100], lambda _: b"garbage" * 50, lambda _: b""])
def test_a_damaged_table(many, dse, name, damage):
    file = many / "quiet" / name
    file.write_bytes(damage(file.read_bytes()))
    message = f"quiet/{name}: (cannot be read: .+|was changed after the run wrote it; allowed: dse run --fresh)"
    with pytest.raises(RunFolderError, match=f"^{message}$"):
        _ = Run.load("quiet").sample
    if name == "frontier.parquet":
        result = dse("report", "quiet")
        assert (result.code, result.out) == (2, "")
        assert re.fullmatch(f"error: {message}\n", result.err)
        assert not (many / "quiet/report.html").exists()
    dse.good("run", "toy.toml", "--out", "quiet", "--fresh")
    assert len(Run.load("quiet").sample) == 60_000


def test_half_files_of_a_killed_process_go(half, dse):
    for name in (".frontier.parquet.1.tmp", "designs/.sample.parquet.1.tmp"):
        (half / "half" / name).parent.mkdir(exist_ok=True)
        (half / "half" / name).write_bytes(b"half")
    dse.good("run", "toy.toml", "--out", "half")
    assert not list((half / "half").rglob("*.tmp"))
    assert bytes_of(half / "half") == bytes_of(half / "quiet")


DAMAGED = {
    "hashes": 5,
    "objectives": {},
    "certificate": None,
    "synthetic": "no",
    "certificate.exact": None,
    "space.alternatives": None,
    "frontier.rows": None,
    "timings.search_seconds": None,
}


@pytest.mark.parametrize("key", DAMAGED)
def test_a_manifest_with_other_things_in_it(toy, dse, key):
    dse.good("run", "toy.toml", "--out", "run")
    file = toy / "run/manifest.json"
    manifest = json.loads(file.read_text())
    outer, _, inner = key.partition(".")
    if inner:
        del manifest[outer][inner]
        told = f"'{key}' is missing"
    else:
        manifest[key] = DAMAGED[key]
        told = f"'{key}' is {json.dumps(DAMAGED[key])}"
    file.write_text(json.dumps(manifest))
    for command in (["show"], ["report"], ["verify"], ["explain"], ["pick", "--min", "time"], ["compare"]):
        assert dse(*command, "run") == (2, "", f"error: run/manifest.json: {told}; the file is damaged\n")
