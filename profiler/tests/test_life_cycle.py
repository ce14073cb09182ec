"""Threads, forks, signals, exceptions and all else that ends or bends a program."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dse.errors import InputError
from dse.models.workload.cli.record import collect_records

COUNT = """#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
volatile long count; __attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) count++; }
"""


def _plain(toolchain, program: Path, source: Path, *flags: str) -> str:
    """What the program prints when it is not instrumented."""
    clang = toolchain.clang.replace("clang", "clang++", 1) if source.suffix == ".cpp" else toolchain.clang
    subprocess.run([clang, "-O1", *flags, str(source), "-o", str(program)], check=True, timeout=300)
    return subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=300).stdout


BENT = {
    "exceptions": (
        ".cpp",
        """#include <cstdio>
        struct Guard { volatile int *v; ~Guard() { ++*v; } };
        volatile int seen, depth;
        __attribute__((noinline)) int down(int n) { Guard g{&depth}; if (!n) throw n; return down(n - 1) + 1; }
        int main() { for (int i = 0; i < 100; i++) try { down(10); } catch (int) { ++seen; } printf("%d %d\\n", seen, depth); }""",
    ),
    "longjmp": (
        ".c",
        """#include <setjmp.h>
        #include <stdio.h>
        static jmp_buf back; volatile int seen;
        __attribute__((noinline)) int down(int n) { if (!n) longjmp(back, 1); return down(n - 1) + seen; }
        int main(void) { for (volatile int i = 0; i < 100; i++) if (setjmp(back)) ++seen; else down(10); printf("%d\\n", seen); }""",
    ),
    "signal handler": (
        ".c",
        """#include <signal.h>
        #include <stdio.h>
        volatile int seen; static void handle(int n) { ++seen; }
        int main(void) { signal(SIGALRM, handle); for (int i = 0; i < 50; i++) raise(SIGALRM); printf("%d\\n", seen); }""",
    ),
    "callbacks": (
        ".c",
        """#include <stdio.h>
        #include <stdlib.h>
        volatile int seen; static int compare(const void *a, const void *b) { ++seen; return *(int *)a - *(int *)b; }
        int main(void) { int v[1000]; for (int i = 0; i < 1000; i++) v[i] = i * 7919 % 1000; qsort(v, 1000, 4, compare);
          printf("%d\\n", v[17]); }""",
    ),
    "switch of 300 cases": (
        ".c",
        "#include <stdio.h>\nvolatile int seen; int pick(volatile int *v) { switch (*v) {"
        + "".join(f"case {n}: return {n * 7 % 301};" for n in range(300))
        + "} return -1; }\nint main(void) { long s = 0; for (int i = 0; i < 300; i++) { volatile int v = i; s += pick(&v); }"
        + ' printf("%ld\\n", s); }',
    ),
    "tail calls": (
        ".c",
        """#include <stdio.h>
        volatile int seen; static int odd(int n); static int even(int n);
        __attribute__((noinline)) static int even(int n) { ++seen; if (!n) return 1; __attribute__((musttail)) return odd(n - 1); }
        __attribute__((noinline)) static int odd(int n) { ++seen; if (!n) return 0; __attribute__((musttail)) return even(n - 1); }
        int main(void) { printf("%d\\n", even(100000)); }""",
    ),
    "static initialisers": (
        ".cpp",
        """#include <cstdio>
        #include <map>
        #include <string>
        struct Noisy { std::map<std::string, int> all; Noisy() { all["a"] = 1; } ~Noisy() { printf("end %zu\\n", all.size()); } };
        static Noisy noisy; int main() { noisy.all["b"] = 2; printf("main\\n"); }""",
    ),
}


@pytest.mark.parametrize("case", BENT)
def test_what_bends_the_stack_changes_neither_output_nor_frames(
    toolchain, build: Callable, run: Callable, tmp_path: Path, case: str
) -> None:
    suffix, text = BENT[case]
    found = run(build(text, suffix=suffix))
    assert found.status == 0
    assert found.output == _plain(toolchain, tmp_path / "plain", tmp_path / f"program{suffix}")
    assert found.record["depth_mismatches"] == 0


def test_callbacks_return_without_having_been_called(build: Callable, run: Callable) -> None:
    found = run(build(BENT["callbacks"][1].replace("v[17]", "seen")))
    mix = found.thread["mix"]
    assert mix["rets"] > mix["calls"]
    compare = next(row for row in found.record["functions"] if row["name"] == "compare")
    assert compare["calls"] == int(found.output)
    assert found.thread["external_calls"]["qsort"] == 1


def test_without_a_folder_nothing_is_written(build: Callable, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(build(COUNT + "int main(void) { work(1000000); return 3; }"))],
        cwd=tmp_path,
        check=False,
        timeout=300,
    )
    assert done.returncode == 3
    assert not list(tmp_path.glob("*.dseprof"))


def test_folder_that_cannot_be_written_changes_no_status(build: Callable, run: Callable) -> None:
    found = run(build(COUNT + "int main(void) { work(10); return 3; }"), dir="/proc/no/such")
    assert found.status == 3
    assert found.errors.count("\n") == 1
    assert "cannot be written" in found.errors


def test_threads_are_counted_apart(build: Callable, run: Callable) -> None:
    text = (
        COUNT
        + """#include <pthread.h>
    static volatile long own[4][64];
    static void *one(void *n) { for (int i = 0; i < 1000 * (long)n; i++) own[(long)n][0]++; return 0; }
    int main(void) { pthread_t t[4]; for (long n = 1; n < 4; n++) { pthread_create(&t[n], 0, one, (void *)n); pthread_join(t[n], 0); } }"""
    )
    threads = run(build(text, "-pthread")).record["threads"]
    assert [thread["thread"] for thread in threads] == [0, 1, 2, 3]
    assert sorted(thread["mix"]["store"] for thread in threads)[-3:] == [1000, 2000, 3000]


@pytest.mark.parametrize("count", [2, 4])
def test_openmp_threads(
    toolchain, need: Callable, build: Callable, run: Callable, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    llvm = toolchain.clang.rpartition("-")[2]
    need(f"/usr/lib/llvm-{llvm}/lib/libomp.so", packages=f"libomp-{llvm}-dev")
    monkeypatch.setenv("OMP_NUM_THREADS", str(count))
    text = """#include <omp.h>
    static volatile long own[8][64];
    int main(void) {
    #pragma omp parallel
      { int me = omp_get_thread_num(); for (int i = 0; i < 1000; i++) own[me][0]++; } }"""
    threads = run(build(text, "-fopenmp")).record["threads"]
    assert len(threads) == count
    assert all(thread["mix"]["store"] >= 1000 for thread in threads)
    assert sum(thread["openmp_calls"].get("omp_get_thread_num", 0) for thread in threads) == count


def _collected(folder: Path, children: bool) -> list[int]:
    """Stores of each process of the profile that is made of the records."""
    out = folder / f"{children}.json"
    options: dict[str, Any] = {"name": None, "parameters": [], "merge": False, "functions": None}
    collect_records(folder, out, children=children, **options)
    return [one["mix"]["store"] for one in json.loads(out.read_text())["classes"]]


def test_forked_child_has_a_record_of_its_own(build: Callable, run: Callable, tmp_path: Path) -> None:
    text = (
        COUNT
        + """#include <sys/wait.h>
    int main(void) { work(1000); if (!fork()) { work(500); return 0; } wait(0); work(30); }"""
    )
    child, parent = sorted(run(build(text)).records, key=lambda record: not record["forked"])
    assert (child["forked"], parent["forked"]) == (True, False)
    assert child["parent_pid"] == parent["pid"]
    assert child["threads"][0]["mix"]["store"] == 500
    assert parent["threads"][0]["mix"]["store"] == 1030
    assert child["depth_mismatches"] == parent["depth_mismatches"] == 0
    assert _collected(tmp_path / "of-records", False) == [1030]
    assert _collected(tmp_path / "of-records", True) == [1030, 500]


def test_a_program_that_only_its_child_outlives_is_said(build: Callable, run: Callable, tmp_path: Path) -> None:
    run(build(COUNT + "int main(void) { work(100); if (daemon(1, 1)) return 1; work(50); }"))
    for _ in range(200):  # nobody waits for the child
        if list((tmp_path / "of-records").glob("*.dseprof")):
            break
        time.sleep(0.02)
    with pytest.raises(InputError, match="only processes that the program started left a record"):
        _collected(tmp_path / "of-records", False)
    assert _collected(tmp_path / "of-records", True) == [50]


def test_one_program_that_becomes_another(build: Callable, run: Callable, tmp_path: Path) -> None:
    other = build(COUNT + "int main(void) { work(20); return 4; }", name="other")
    found = run(build(COUNT + f'int main(void) {{ work(100); return execl("{other}", "other", (char *)0); }}'))
    assert found.status == 4
    assert sorted(record["threads"][0]["mix"]["store"] for record in found.records) == [20, 100]
    # One that is run beside it, in a process of its own, is a child.
    text = f'int main(void) {{ work(7); if (!fork()) execl("{other}", "other", (char *)0); wait(0); }}'
    run(build("#include <sys/wait.h>\n" + COUNT + text), folder="beside")
    assert _collected(tmp_path / "of-beside", False) == [7]
    assert sorted(_collected(tmp_path / "of-beside", True)) == [0, 7, 20]


@pytest.mark.parametrize("end", ["_exit(4);", 'execl("/bin/sh", "sh", "-c", "exit 4", (char *)0);'])
def test_leaving_without_exit_handlers(build: Callable, run: Callable, end: str) -> None:
    found = run(build(COUNT + f"int main(void) {{ work(100); {end} }}"))
    assert found.status == 4
    assert found.thread["mix"]["store"] == 100
    assert found.record["partial"] is None


@pytest.mark.parametrize("end", ["abort();", "raise(SIGSEGV);", "raise(SIGKILL);"])
def test_no_record_of_a_program_that_crashed(build: Callable, run: Callable, end: str) -> None:
    found = run(build("#include <signal.h>\n" + COUNT + f"int main(void) {{ work(100); {end} }}"))
    assert found.status < 0
    assert found.records == []


def test_sigterm_leaves_a_partial_record(build: Callable, run: Callable) -> None:
    text = "#include <signal.h>\n" + COUNT + "int main(void) { work(100); raise(SIGTERM); for (;;) work(10); }"
    found = run(build(text))
    assert found.status == -signal.SIGTERM
    assert found.record["partial"].startswith("ended by SIGTERM after ")
    assert found.record["complete"]


def test_a_handler_of_the_program_is_left_alone(build: Callable, run: Callable) -> None:
    text = (
        "#include <signal.h>\n"
        + COUNT
        + """static void mine(int n) { exit(7); }
    int main(void) { signal(SIGTERM, mine); work(10); raise(SIGTERM); }"""
    )
    found = run(build(text))
    assert found.status == 7
    assert found.record["partial"] is None


def test_library_opened_while_running(toolchain, build: Callable, run: Callable, tmp_path: Path) -> None:
    source, library = tmp_path / "lib.c", tmp_path / "lib.so"
    source.write_text("volatile int inside; int twice(int n) { inside++; return 2 * n; }")
    plugin = f"-fpass-plugin={toolchain.folder / 'dse_pass.so'}"
    subprocess.run(
        [toolchain.clang, "-O1", plugin, "-fPIC", "-shared", str(source), "-o", str(library)], check=True, timeout=300
    )
    text = f"""#include <dlfcn.h>
    int main(void) {{ int (*twice)(int) = (int (*)(int))dlsym(dlopen("{library}", RTLD_NOW), "twice"); return twice(21); }}"""
    found = run(build(text))
    assert found.status == 42
    assert {row["name"] for row in found.record["functions"]} == {"main", "twice"}
    assert found.record["depth_mismatches"] == 0


def test_static_functions_of_one_name_are_two(toolchain, run: Callable, tmp_path: Path) -> None:
    objects = []
    for name, body in [("one", "1"), ("two", "2")]:
        source = tmp_path / f"{name}.c"
        main = (
            "int two(void); int main(void) { return same(0) + two(); }"
            if name == "one"
            else "int two(void) { return same(3); }"
        )
        static = f"__attribute__((noinline)) static int same(int n) {{ return v_{name} + n + {body}; }}"
        source.write_text(f"volatile int v_{name}; {static} {main}")
        objects.append(tmp_path / f"{name}.o")
        plugin = f"-fpass-plugin={toolchain.folder / 'dse_pass.so'}"
        subprocess.run(
            [toolchain.clang, "-O1", plugin, "-c", str(source), "-o", str(objects[-1])], check=True, timeout=300
        )
    program = tmp_path / "program"
    runtime = toolchain.folder / "libdse_runtime.a"
    subprocess.run(
        [shutil.which(toolchain.clang), *map(str, objects), str(runtime), "-o", str(program)], check=True, timeout=300
    )
    found = run(program)
    assert found.status == 6
    assert [row["name"] for row in found.record["functions"]].count("same") == 2


WIDE = """#include <stdint.h>
    enum { N = 1 << 19 };
    _Alignas(4096) static volatile uint64_t wide[N];
    int main(void) {
      uint32_t s = 2463534242u;
      for (int i = 0; i < N; i++) wide[i] = i;
      for (int i = 0; i < 150000; i++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; wide[(s >> 4) % N] += wide[s % (N / 64)]; } }"""


def test_above_the_limit_of_memory_less_is_measured_and_said(build: Callable, run: Callable) -> None:
    program = build(WIDE)
    exact, limited = (
        run(program, folder=limit, metrics="ilp,reuse,footprint", windows="32,128,inf", memory_limit=limit)
        for limit in ("10000000000", "3500000")
    )
    assert exact.record["notes"] == []
    assert "memory_limit" not in exact.record["sampling"]
    # What the formula of the guide says: 48 B for each line, 32 B for each 8 bytes touched, and a buffer.
    lines = sum(exact.cold(line) for line in (64, 128))
    formula = 48 * lines + 4 * exact.thread["footprint_bytes"] + 2**20
    assert 0.5 * formula < exact.record["memory_bytes"] < 2 * formula
    told = limited.record["sampling"]
    assert told["memory_limit"] == 3500000
    assert told["reuse_rate"] in (1 / 2, 1 / 4, 1 / 8, 1 / 16)
    assert [note.partition(": ")[2] for note in limited.record["notes"]] == [
        "parallelism without a window is left out",
        "reuse distances are of a sample of the lines",
    ]
    # The cycles of the windows are as they were, to the last; distances are near.
    assert limited.thread["ilp"] == exact.thread["ilp"][:2]
    assert limited.thread["footprint_bytes"] == exact.thread["footprint_bytes"]
    assert limited.cold() == pytest.approx(exact.cold(), rel=0.1)
    references = exact.cold() + sum(exact.bins().values())
    assert limited.cold() + sum(limited.bins().values()) == references
    for distance in (256, 4096, 32768):
        far, of_sample = (
            sum(count for upper, count in found.bins().items() if upper > distance) for found in (exact, limited)
        )
        assert of_sample / references == pytest.approx(far / references, abs=0.03)


def test_bursts_leave_out_what_they_cannot_tell(build: Callable, run: Callable) -> None:
    text = """volatile int v[512];
    int main(void) { for (int r = 0; r < 4000; r++) for (int i = 0; i < 512; i++) v[i] += v[(i * 7) & 511]; }"""
    program = build(text)
    exact = run(program, folder="exact", metrics="ilp")
    bursts = run(program, folder="bursts", metrics="ilp", sample="ilp=10")
    assert [row["window"] for row in bursts.thread["ilp"]] == [32, 64, 128]
    assert bursts.record["sampling"]["ilp_bursts"] == 0.1
    assert bursts.thread["ilp"][0]["instructions"] < 0.6 * exact.thread["instructions"]
    for window in (32, 64, 128):
        assert bursts.ilp(window) == pytest.approx(exact.ilp(window), rel=0.01)
