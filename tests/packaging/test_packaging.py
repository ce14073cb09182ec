"""The wheel, the sdist and the editable install hold the same package, wherever the user stands."""

import ast
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from dse.version import __version__

ROOT = Path(__file__).parents[2]
FOLDERS = ("models", "spaces", "studies")
FLAGSHIP = "ska-correlator"

# One group: with xdist, all run in one worker and build once.
pytestmark = [pytest.mark.packaging, pytest.mark.slow, pytest.mark.xdist_group("packaging")]


def run(*command, cwd, **environment):
    """Run a command without the caller's PYTHONPATH and return what it did."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=300
    )


def output(*command, cwd, **environment):
    """Run a command that must succeed and return its standard output."""
    done = run(*command, cwd=cwd, **environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(source, target, *what):
    return run(sys.executable, "-m", "build", "--no-isolation", *what, "--outdir", target, source, cwd=source)


def tracked_files():
    """Relative paths of all that a clone would hold once everything is committed."""
    names = output("git", "ls-files", "-co", "--exclude-standard", "-z", cwd=ROOT).split("\0")
    return [Path(name) for name in sorted(set(names)) if name and os.path.lexists(ROOT / name)]


def copy_tree(target):
    for name in tracked_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    return target


def wheel_content(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def package_files(content):
    return {name: data for name, data in content.items() if name.startswith("dse/")}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A clean copy of the repository."""
    return copy_tree(tmp_path_factory.mktemp("tree"))


@pytest.fixture(scope="module")
def expected(tree):
    """Archive name and content of each file of the package."""
    files = {}
    for folder in ("dse", *FOLDERS, "profiler"):
        for path in sorted((tree / folder).rglob("*")):
            if path.is_file() and "profiler/tests" not in path.as_posix() and path.parent != tree / "dse" / "profiler":
                name = path.relative_to(tree).as_posix()
                files[name if folder == "dse" else f"dse/{name}"] = path.read_bytes()
    return files


def wheel_of(tree, target):
    """Build a wheel. A build writes into its tree: it has a copy, so that `tree` stays clean."""
    source = shutil.copytree(tree, target / "source", symlinks=True)
    command = (sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", target, source)
    done = run(*command, cwd=source, SOURCE_DATE_EPOCH="1700000000")
    assert done.returncode == 0, done.stdout + done.stderr
    return next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def wheel(tree, expected, tmp_path_factory):
    target = tmp_path_factory.mktemp("wheel")
    return wheel_of(tree, target)


@pytest.fixture(scope="module")
def sdist_and_wheel(tree, tmp_path_factory):
    """An sdist, and the wheel made from nothing but this sdist."""
    target = tmp_path_factory.mktemp("sdist")
    done = build(shutil.copytree(tree, target / "source", symlinks=True), target)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(target.glob("*.tar.gz")), next(target.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder with the installed wheel; what it depends on is in the running environment."""
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    output(*pip, "--no-deps", "--no-index", "--target", target, wheel, cwd=target)
    return target


@pytest.fixture
def hostile(tmp_path):
    """A current folder whose own files have the names of ours."""
    for name in FOLDERS:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('the user has a {name}.py')\n")
    return tmp_path


def check_import(cwd, package, **environment):
    """All four packages come from the folder `package`."""
    code = "import dse, dse.models, dse.spaces, dse.studies as s; print(dse.__file__, s.__file__, sep='\\n')"
    files = output(sys.executable, "-c", code, cwd=cwd, **environment).split("\n")
    assert Path(files[0]) == package / "__init__.py"
    assert Path(files[1]) == package / "studies" / "__init__.py"


def check_command(command, cwd, **environment):
    """`dse` answers with its version and with the studies that come with it."""
    assert __version__ in output(*command, "--version", cwd=cwd, **environment)

    assert FLAGSHIP in output(*command, "studies", cwd=cwd, **environment)


class TestContent:
    def test_wheel_holds_the_tree(self, wheel, expected):
        """Every file of the four folders is in the wheel, byte by byte, and no other."""
        content = package_files(wheel_content(wheel))

        assert sorted(set(expected) - set(content)) == [], "add their ending to package-data in pyproject.toml"
        assert sorted(set(content) - set(expected)) == []
        assert [name for name in expected if content[name] != expected[name]] == []

    def test_wheel_has_each_folder(self, wheel):
        assert {f"dse/{folder}/__init__.py" for folder in FOLDERS} | {"dse/py.typed"} <= set(wheel_content(wheel))

    def test_wheel_adds_one_top_level_name(self, wheel):
        assert {name.split("/")[0].split("-")[0] for name in wheel_content(wheel)} == {"dse", "dse_frontier"}

    def test_sdist_holds_real_files(self, sdist_and_wheel, expected):
        with tarfile.open(sdist_and_wheel[0]) as archive:
            regular = {member.name.split("/", 1)[1] for member in archive if member.isreg()}
            links = [member.name for member in archive if member.issym() or member.islnk()]

        assert sorted(set(expected) - regular) == []
        assert links == []

    def test_wheel_of_sdist_is_the_same(self, sdist_and_wheel, wheel):
        assert wheel_content(sdist_and_wheel[1]) == wheel_content(wheel)


class TestWheelInstall:
    def test_import(self, installed, hostile):
        check_import(hostile, installed / "dse", PYTHONPATH=str(installed))

    def test_module(self, installed, hostile):
        check_command([sys.executable, "-m", "dse"], hostile, PYTHONPATH=str(installed))

    def test_script(self, installed, hostile):
        said = output(installed / "bin" / "dse", "--version", cwd=hostile, PYTHONPATH=str(installed))
        assert __version__ in said

    @pytest.mark.parametrize("named", [False, True])
    def test_pytest_finds_the_plugin(self, installed, hostile, named):
        """By itself, and where a project names it too."""
        (hostile / "conftest.py").write_text(
            'pytest_plugins = ["dse.models.measured_laws.pytest_plugin"]\n' if named else ""
        )
        (hostile / "test_growth.py").write_text(
            "def test_it(assert_growth):\n    assert_growth(lambda p: 2.0 * p, 'p')\n"
        )

        said = output(sys.executable, "-m", "pytest", "-q", "test_growth.py", cwd=hostile, PYTHONPATH=str(installed))

        assert "1 passed" in said


class TestEditableInstall:
    """The environment the tests run in; `make test` has installed the tree into it."""

    def test_import(self, hostile):
        check_import(hostile, ROOT / "dse")

    def test_module(self, hostile):
        check_command([sys.executable, "-m", "dse"], hostile)

    def test_script(self, hostile):
        assert __version__ in output(Path(sys.executable).parent / "dse", "--version", cwd=hostile)


class TestGuard:
    @pytest.mark.parametrize("folder", [*FOLDERS, "profiler"])
    def test_build_without_link_is_refused(self, tmp_path, folder):
        """A clone without symbolic links holds a text file in place of each link."""
        tree = copy_tree(tmp_path / "tree")
        (tree / "dse" / folder).unlink()
        (tree / "dse" / folder).write_text(f"../{folder}")

        done = build(tree, tmp_path / "dist", "--wheel")

        assert done.returncode != 0
        assert f"dse cannot be built: dse/{folder} should lead to the top folder" in done.stdout + done.stderr
        assert list(tmp_path.glob("dist/*.whl")) == []


class TestTopLevelImports:
    @pytest.mark.parametrize(
        "line", ["import models", "import spaces.parts", "from studies import a", "from models.network import a"]
    )
    def test_short_form_is_banned(self, line):
        assert "TID251" in self.ruff(line)

    @pytest.mark.parametrize("line", ["import dse.models", "from dse.spaces import a", "from . import models"])
    def test_long_form_is_allowed(self, line):
        assert "TID251" not in self.ruff(line)

    @staticmethod
    def ruff(line):
        options = ["check", "--no-cache", "--output-format", "concise", "--stdin-filename", "dse/snippet.py", "-"]
        command = [sys.executable, "-m", "ruff", *options]
        return subprocess.run(command, input=line + "\n", cwd=ROOT, capture_output=True, text=True, timeout=300).stdout

    def test_no_short_form_in_the_folders(self):
        """Ruff takes relative imports inside models/, spaces/ and studies/ for the short form, so it is off there."""
        found = []
        for path in (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module or ""]
                found += [f"{path}:{node.lineno}" for name in names if name.split(".")[0] in FOLDERS]

        assert found == []


class TestMetadata:
    """What an index and a citation say of the package."""

    def metadata(self, wheel):
        text = next(data for name, data in wheel_content(wheel).items() if name.endswith(".dist-info/METADATA"))
        return text.decode()

    def test_name_version_and_extras(self, wheel):
        lines = self.metadata(wheel).splitlines()
        assert {"Name: dse-frontier", f"Version: {__version__}"} <= set(lines)
        extras = {line.partition(": ")[2] for line in lines if line.startswith("Provides-Extra: ")}
        assert extras == {"cluster", "dask", "docs", "formats", "notebook", "test"}
        assert 'Requires-Dist: dse-frontier[cluster]; extra == "dask"' in lines

    def test_a_wheel_is_for_every_platform(self, wheel):
        assert wheel.name == f"dse_frontier-{__version__}-py3-none-any.whl"

    def test_the_citation_has_the_version(self):
        assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")

    def test_the_same_commit_gives_the_same_bytes(self, tree, wheel, tmp_path):
        assert wheel_of(tree, tmp_path).read_bytes() == wheel.read_bytes()


class TestWithoutCompiler:
    """An installed wheel on a computer that has neither make nor a compiler."""

    def dse(self, installed, folder, *command):
        (folder / "bin").mkdir(exist_ok=True)
        for name in ("sh", "readlink", "env"):
            if not (folder / "bin" / name).exists():
                (folder / "bin" / name).symlink_to(shutil.which(name))
        env = {"PATH": str(folder / "bin"), "HOME": str(folder), "PYTHONPATH": str(installed), "LANG": "C.UTF-8"}
        command = [sys.executable, "-m", "dse", *command]
        return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)

    def test_a_study_runs_and_is_exported(self, installed, tmp_path):
        assert self.dse(installed, tmp_path, "init", "mine.toml").returncode == 0
        done = self.dse(installed, tmp_path, "run", "mine.toml", "--report")
        assert done.returncode == 0, done.stderr
        done = self.dse(installed, tmp_path, "export", "runs/mine", "--rows", "1")
        assert done.stdout.startswith("row,name,design,nodes,cores,frequency [Hz]")

    def test_the_profiler_says_what_it_needs(self, installed, tmp_path):
        """Its sources are there, and its commands can be run; without clang they name the packages."""
        found = self.dse(installed, tmp_path, "profile", "compiler")
        assert found.returncode == 0, found.stderr
        folder = Path(found.stdout.split("\n")[0].strip())
        wrapper = next(installed.glob("dse/profiler/wrappers/dse-cc"))
        assert folder == wrapper.parent
        assert os.access(wrapper, os.X_OK)
        assert (installed / "dse/profiler/Makefile").is_file()
        env = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
        refused = subprocess.run(
            [wrapper, "-c", "a.c"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
        )
        assert refused.returncode == 1
        assert "apt-get install" in refused.stderr
