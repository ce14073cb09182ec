"""The compilers dse-cc, dse-c++ and dse-fc in builds of all kinds, and `dse profile record` on what they built."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import typer

PROFILER = Path(__file__).parents[1]
WRAPPERS = PROFILER / "wrappers"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]

COUNT = "volatile long n;\nint main(void) { for (int i = 0; i < 100; i++) n++; return 0; }\n"


@pytest.fixture
def fake(tmp_path):
    """A compiler that prints its arguments, in place of clang 19, with a product that is built already."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("clang-19", "clang++-19", "flang-new-19", "llvm-config-19"):
        (tools / name).write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@" "flags:${DSE_COMPILE_FLAGS-}"\n')
        (tools / name).chmod(0o755)
    (tools / "make").write_text(
        '#!/bin/sh\nfor a do [ "$last" = -C ] && cd "$a"; last=$a; done\n'
        ': >dse_pass.so; : >libdse_runtime.a; echo built >>"$LOG"\n'
    )
    (tools / "make").chmod(0o755)
    for name in ("sh", "cat", "cksum", "mkdir", "mv", "rm", "sleep", "readlink", "dirname", "tail", "grep", "ln"):
        (tools / name).symlink_to(shutil.which(name))

    def call(name, *arguments, status=0, **more):
        paths = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LOG": str(tmp_path / "log")}
        paths["DSE_CLANG"] = ""
        done = subprocess.run(
            [str(WRAPPERS / name), *arguments],
            **{"cwd": tmp_path, "env": os.environ | paths | more, "capture_output": True, "text": True},
        )
        assert done.returncode == status, done.stderr
        return (done.stdout + done.stderr).splitlines()

    call.tools = tools
    return call


@pytest.mark.parametrize(
    ("arguments", "passes", "links"),
    [
        (["a.c"], True, True),
        (["a.c", "b.c", "-o", "-c.out"], True, True),
        (["-c", "a.c"], True, False),
        (["-S", "a.c"], True, False),
        (["-E", "a.c"], False, False),
        (["-MM", "a.c"], False, False),
        (["-shared", "a.o"], True, False),
        (["--version"], False, False),
        (["-o", "a.out"], False, False),
        (["@arguments"], True, False),
        (["-r", "a.o", "-o", "b.o"], True, False),
        (["-x", "c-header", "a.hpp"], True, False),
        (["-D", "X", "-x", "c", "-"], True, True),
    ],
)
def test_the_runtime_is_added_where_a_program_is_linked(fake, tmp_path, arguments, passes, links):
    (tmp_path / "arguments").write_text("'a -o b.c' \"-\"c\n")
    given = fake("dse-cc", *arguments)
    assert any(one.startswith("-fpass-plugin=") for one in given) == passes
    assert any(one.endswith("libdse_runtime.a") for one in given) == links
    assert arguments == given[given.index(arguments[0]) :][: len(arguments)]


@pytest.mark.parametrize(
    ("argument", "told"),
    [
        ("-flto", "dse-cc: -flto is not supported: the pass works file by file. Leave it out"),
        ("-flto=thin", "dse-cc: -flto is not supported: the pass works file by file. Leave it out"),
        (
            "-fsanitize=address",
            "dse-cc: -fsanitize is not supported: its checks would be counted as the program's. Leave it out",
        ),
        (
            "-fprofile-use=x",
            "dse-cc: -fprofile-use is not supported: it changes or counts what is measured. Leave it out",
        ),
    ],
)
def test_what_spoils_the_measurement_is_refused(fake, argument, told):
    assert fake("dse-cc", argument, "a.c", status=1) == [told]


def flags_of(given):
    return given[-1].removeprefix("flags:")


def test_flags_that_the_code_depends_on_are_told(fake):
    given = [
        "-Wall",
        "-O3",
        "-ffast-math",
        "-fdiagnostics-color",
        "-march=native",
        "-g",
        "-DN=3",
        "-D",
        "NDEBUG",
        "-I.",
        "-fuse-ld=lld",
        "-std=c11",
    ]
    loops = ["-fopenmp-simd", "-mllvm", "-force-vector-width=4", "-fno-vectorize"]
    assert flags_of(fake("dse-cc", *given, *loops, "-c", "a.c", "-o", "-O0.o")) == (
        "-O3 -ffast-math -march=native -DNDEBUG -std=c11 -fopenmp-simd -mllvm -force-vector-width=4 -fno-vectorize"
    )
    assert flags_of(fake("dse-cc", "-c", "a.c")) == "-O0"  # as clang takes it


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("-O2 -fa\n-fb\r\n\t-fc", "-O2 -fa -fb -fc"),
        (""" -O2 "-fa b" '-fc d' -fe\\ f -f'g'"h" "-D" x""", "-O2 -fa b -fc d -fe f -fgh"),
        (r"""-O2 "-fa\"b" '-fc\'d' -fe\\f '-fg"h'""", """-O2 -fa"b -fc'd -fe\\f -fg"h"""),
        ("-O2 -fa\\", "-O2 -fa"),
        ("-O2 '' -fa 'unclosed -fb", "-O2 -fa"),
        ("-O2 @more -fb", "-O2 -fmore -fb"),
        pytest.param(
            "-O2 @arguments", "-O2 " * 50, id="itself"
        ),  # clang refuses a file that holds itself; it is only not to run for ever
    ],
)
def test_response_files_are_read_as_clang_does(fake, tmp_path, text, flags):
    (tmp_path / "arguments").write_bytes(text.encode())
    (tmp_path / "more").write_text('"-fmore"\n')
    assert flags_of(fake("dse-cc", "@arguments", "a.c")) == flags.strip()


def test_a_long_response_file_takes_no_time(fake, tmp_path):
    objects = " ".join(f"'CMakeFiles/some target.dir/source/folder/file{n}.c.o'" for n in range(5000))
    (tmp_path / "objects").write_text(objects)
    before = os.times().children_user
    fake("dse-cc", "@objects", "-o", "a.out")
    assert os.times().children_user - before < 1


def test_it_is_built_once_and_each_language_has_its_driver(fake, tmp_path):
    assert fake("dse-fc", "a.f90")[0].endswith("/flang-new-19")
    assert fake("dse-cc", "a.c")[0].endswith("/clang-19")
    assert fake("dse-c++", "a.cc")[0].endswith("/clang++-19")
    assert (tmp_path / "log").read_text() == "built\n"
    assert next(path.name for path in tmp_path.glob("cache/dse/profiler/*")).endswith("-llvm19")


def test_without_clang_the_packages_are_named(fake):
    (fake.tools / "llvm-config-19").unlink()
    assert fake("dse-cc", "a.c", status=1) == [
        "dse-cc: no clang with a matching llvm-config found (14 to 21). "
        "Install one: apt-get install clang-19 llvm-19-dev"
    ]
    assert fake("dse-cc", "a.c", status=1, DSE_CLANG="nothing-9") == [
        "dse-cc: DSE_CLANG names 'nothing-9', which is no command"
    ]


def test_a_program_of_two_files_in_a_folder_with_blanks(toolchain, shell, tmp_path):
    folder = tmp_path / "with 'blanks' and \"quotes\""
    folder.mkdir()
    (folder / "main.c").write_text("void f(void);\nint main(void) { f(); return 3; }\n")
    (folder / "f.c").write_text("volatile long n;\nvoid f(void) { for (int i = 0; i < 100; i++) n++; }\n")
    (folder / "Makefile").write_text("a: main.o f.o\n\t$(CC) $^ -o $@\n")
    shell("make", "-C", folder, "-j2", "CC=dse-cc", "CFLAGS=-O1 -fno-unroll-loops", DSE_CLANG=toolchain.clang)
    out = tmp_path / "two.json"
    shell("dse", "profile", "record", "-o", out, "--parameter", "n=100", "--", folder / "a", status=3)
    document = json.loads(out.read_text())
    (only,) = document["classes"]
    assert (only["mix"]["load"], only["mix"]["store"]) == (100, 100)
    assert document["run"]["flags"] == "-O1 -fno-unroll-loops"
    shown = shell("dse", "profile", "show", out, COLUMNS="200")
    assert "100" in shown
    assert "linear entropy, own past" in shown
    assert "misses, 4096 entries" in shown


def test_flags_of_all_files_are_in_the_profile(toolchain, shell, tmp_path):
    (tmp_path / "f.c").write_text("void f(void) {}\n")
    (tmp_path / "main.c").write_text("void f(void);\nint main(void) { f(); return 0; }\n")
    (tmp_path / "flags").write_text("-O2 '-fno-vectorize'\n")
    clang = {"DSE_CLANG": toolchain.clang}
    shell("dse-cc", f"@{tmp_path / 'flags'}", "-c", tmp_path / "f.c", "-o", tmp_path / "f.o", **clang)
    shell("dse-cc", "-O1", tmp_path / "main.c", tmp_path / "f.o", "-o", tmp_path / "a", **clang)
    assert set(shell.record(tmp_path / "a")["run"]["flags"].split("; ")) == {"-O1", "-O2 -fno-vectorize"}


@pytest.mark.parametrize("kind", ["-static", "-static-pie", "-r"])
def test_links_of_other_kinds(toolchain, shell, tmp_path, kind):
    (tmp_path / "a.c").write_text(COUNT)
    made, clang = tmp_path / "a", {"DSE_CLANG": toolchain.clang}
    shell("dse-cc", "-O1", "-fPIE", kind, tmp_path / "a.c", "-o", made, **clang)
    if kind == "-r":
        shell("dse-cc", made, "-o", tmp_path / "b", **clang)
        made = tmp_path / "b"
    assert 100 <= shell.record(made)["classes"][0]["mix"]["store"] <= 110


def test_a_shared_library_is_counted_with_its_program(toolchain, shell, tmp_path):
    text = """volatile long n, at_end;
    void f(void) { for (int i = 0; i < 100; i++) n++; }
    struct S { ~S() { for (int i = 0; i < 50; i++) n++; } } s; // after the program's own
    """
    (tmp_path / "f.cc").write_text(f'extern "C" {{ {text} }}')
    (tmp_path / "main.c").write_text("void f(void);\nint main(void) { f(); return 0; }\n")
    clang, library = {"DSE_CLANG": toolchain.clang}, tmp_path / "libf.so"
    shell("dse-c++", "-O1", "-fPIC", "-shared", "-Wl,-z,defs", tmp_path / "f.cc", "-o", library, **clang)
    shell("dse-cc", "-O1", tmp_path / "main.c", library, f"-Wl,-rpath,{tmp_path}", "-o", tmp_path / "main", **clang)
    assert shell.record(tmp_path / "main")["classes"][0]["mix"]["load"] == 150


def test_a_library_that_is_closed_keeps_its_counts(toolchain, shell, tmp_path):
    (tmp_path / "f.c").write_text("volatile long n;\nvoid f(void) { for (int i = 0; i < 100; i++) n++; }\n")
    (tmp_path / "main.c").write_text(
        "#include <dlfcn.h>\nint main(int n, char **a) { for (int i = 0; i < 3; i++) {\n"
        'void *at = dlopen(a[1], RTLD_NOW); ((void (*)(void))dlsym(at, "f"))(); dlclose(at); } return 0; }\n'
    )
    clang = {"DSE_CLANG": toolchain.clang}
    shell("dse-cc", "-O1", "-fPIC", "-shared", tmp_path / "f.c", "-o", tmp_path / "f.so", **clang)
    shell("dse-cc", "-O1", tmp_path / "main.c", "-o", tmp_path / "main", **clang)
    document = shell.record(tmp_path / "main", tmp_path / "f.so", metrics="mix,reuse")
    assert 300 <= document["classes"][0]["mix"]["store"] <= 310


def test_fortran(shell, tmp_path):
    for command in ("flang-new-19", "llvm-config-19"):
        if not shutil.which(command):
            pytest.skip(f"{command} is not installed: apt-get install flang-19 llvm-19-dev")
    (tmp_path / "a.f90").write_text(
        "program a\n  integer :: n(1000), i\n  do i = 1, 1000\n    n(i) = ieor(i, 5)\n  end do\n"
        "  print *, n(command_argument_count() + 7)\nend program\n"
    )
    shell("dse-fc", "-O0", tmp_path / "a.f90", "-o", tmp_path / "a", DSE_CLANG="")
    document = shell.record(tmp_path / "a", metrics="mix,ilp")
    assert 1000 <= document["classes"][0]["mix"]["store"] <= 1020
    assert document["run"]["flags"] == "-O0"


CONFIGURE = r"""#!/bin/sh
# What the scripts of autoconf ask a compiler, one by one.
set -e
ac_try() { printf '%s\n' "$1" >conftest.c; }
"$CC" --version >/dev/null
"$CC" -v >/dev/null 2>&1
ac_try 'int main(void) { return 0; }'
"$CC" conftest.c; ./a.out
"$CC" -o conftest conftest.c; ./conftest
ac_try '#include <stdio.h>
#include <limits.h>
int main(void) { FILE *f = fopen("conftest.out", "w"); fprintf(f, "%d\n", (int)sizeof(long)); return fclose(f); }'
"$CC" -E conftest.c | grep -q fprintf
"$CC" -c conftest.c; "$CC" conftest.o -o conftest -lm; ./conftest; size=$(cat conftest.out)
ac_try 'no C at all'
if "$CC" -c conftest.c 2>/dev/null; then exit 1; fi
ac_try 'char shm_no_such_function(); int main(void) { return shm_no_such_function(); }'
if "$CC" conftest.c -o conftest 2>/dev/null; then exit 1; fi
ac_try 'int x;'
"$CC" -M conftest.c | grep -q conftest.o
"$CC" -Werror -Wall -fPIC -c conftest.c
rm -f conftest* a.out
printf 'CC = %s\nall: program\nprogram: main.c\n\t$(CC) -DSIZE=%s main.c -o program\n' "$CC" "$size" >Makefile
"""


def test_a_configure_script_is_answered_and_finds_no_litter(toolchain, shell, tmp_path):
    (tmp_path / "configure").write_text(CONFIGURE)
    (tmp_path / "main.c").write_text(COUNT.replace("return 0", "return SIZE != 8"))
    clang = {"DSE_CLANG": toolchain.clang, "CC": "dse-cc"}
    shell("sh", "-c", f"cd '{tmp_path}' && sh configure", **clang)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Makefile", "configure", "main.c"]

    shell("make", "-s", "-C", tmp_path, **clang)
    document = shell.record(tmp_path / "program")
    assert 100 <= document["classes"][0]["mix"]["load"] <= 116
    assert document["run"]["flags"] == "-O0"


def test_cmake_takes_the_compilers(toolchain, need, shell, tmp_path):
    need("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\nadd_executable(a a.cc)\n"
        "set(CMAKE_CXX_USE_RESPONSE_FILE_FOR_OBJECTS 1)\n"
    )
    (tmp_path / "a.cc").write_text(
        "#include <stdexcept>\nvolatile long n;\n"
        'static void deep(int k) { n = n + 1; if (!k) throw std::runtime_error("x"); deep(k - 1); n = n + 1; }\n'
        "int main() { for (int i = 0; i < 10; i++) try { deep(9); } catch (const std::exception &) {} return 0; }\n"
    )
    built, clang = tmp_path / "b", {"DSE_CLANG": toolchain.clang}
    choices = ("-DCMAKE_CXX_COMPILER=dse-c++", "-DCMAKE_BUILD_TYPE=Release")
    shell("cmake", "-S", tmp_path, "-B", built, *choices, **clang)
    shell("cmake", "--build", built, **clang)
    document = shell.record(built / "a", metrics="mix,ilp")
    assert document["classes"][0]["mix"]["store"] >= 100
    assert "did not match" not in document.get("notes", "")
    assert document["run"]["flags"] == "-O3 -DNDEBUG"


@pytest.mark.parametrize("finds", [True, False])
def test_P1_openmp_is_found_as_the_compiler_finds_it(fake, finds):
    """clang 14 answers -print-file-name with the bare name, though it links with the library of its own folder."""
    for name in ("clang-19", "clang++-19"):
        (fake.tools / name).write_text(
            "#!/bin/sh\ncase $1 in\n"
            "    -print-file-name=*) printf '%s\\n' \"${1#*=}\" ;;\n"
            f"    -fopenmp) [ \"$2 $3\" = '-x c' ] && exit {int(not finds)} ;;\n"
            "esac\nprintf '%s\\n' \"$@\"\n"
        )
    answer = fake("dse-cc", "-O1", "-fopenmp", "a.c", "-o", "a", status=int(not finds))
    if finds:
        assert "-fopenmp" in answer
    else:
        assert answer == [
            "dse-cc: -fopenmp needs the OpenMP library of clang. Install it: apt-get install libomp-19-dev"
        ]


def test_P1_a_real_compiler_that_names_no_folder_builds_a_program(toolchain, need, shell, tmp_path):
    llvm = toolchain.clang.rpartition("-")[2]
    need(f"/usr/lib/llvm-{llvm}/lib/libomp.so", packages=f"libomp-{llvm}-dev")
    folder = tmp_path / "bin"
    folder.mkdir()
    bare = folder / f"clang-{llvm}"
    bare.write_text(
        f'#!/bin/sh\ncase $1 in -print-file-name=libomp.so) echo libomp.so ;; *) exec {toolchain.clang} "$@" ;; esac\n'
    )
    bare.chmod(0o755)
    (tmp_path / "a.c").write_text(
        "volatile long n[16];\nint main(void) {\n#pragma omp parallel for\n"
        "  for (int i = 0; i < 16; i++) n[i] = i;\n  return 0;\n}\n"
    )
    shell("dse-cc", "-O1", "-fopenmp", tmp_path / "a.c", "-o", tmp_path / "a", DSE_CLANG=str(bare))
    assert len(shell.record("env", "OMP_NUM_THREADS=2", tmp_path / "a")["classes"]) == 2


def test_threads_that_touch_memory_alike_become_one_class(toolchain, need, shell, tmp_path):
    """The example: its master makes the graph by itself, three workers search it (Anghel 2017, Eq. 3.4)."""
    llvm = toolchain.clang.rpartition("-")[2]
    need(f"/usr/lib/llvm-{llvm}/lib/libomp.so", packages=f"libomp-{llvm}-dev")
    source = PROFILER / "examples" / "threads.c"
    shell("dse-cc", "-O2", "-fopenmp", source, "-o", tmp_path / "threads", DSE_CLANG=toolchain.clang)
    command = ("env", "OMP_NUM_THREADS=4", tmp_path / "threads", 11, 16, 1)
    joined = shell.record(*command, metrics="mix,reuse", correlation=0.963)
    assert [(item["role"], item.get("members", 1)) for item in joined["classes"]] == [("master", 1), ("worker", 3)]
    assert "4 threads are 2 classes" in joined["notes"]


def test_threads_of_openmp_are_classes(toolchain, need, shell, tmp_path):
    llvm = toolchain.clang.rpartition("-")[2]
    need(f"/usr/lib/llvm-{llvm}/lib/libomp.so", packages=f"libomp-{llvm}-dev")
    (tmp_path / "a.c").write_text(
        "#include <omp.h>\nvolatile long n[64 * 8];\nint main(void) {\n"
        "#pragma omp parallel\n  {\n    volatile long *own = n + 8 * omp_get_thread_num();\n"
        "    for (int i = 0; i < 1000; i++) ++*own;\n  }\n  return 0;\n}\n"
    )
    shell("dse-cc", "-O1", "-fopenmp", tmp_path / "a.c", "-o", tmp_path / "a", DSE_CLANG=toolchain.clang)
    for threads in (2, 4):
        program = ("env", f"OMP_NUM_THREADS={threads}", tmp_path / "a")
        classes = shell.record(*program)["classes"]
        assert [one["name"] for one in classes] == [f"process 0 thread {number}" for number in range(threads)]
        assert [one["role"] for one in classes] == ["master", *["worker"] * (threads - 1)]
        assert all(1000 <= one["mix"]["store"] <= 1016 for one in classes)
        merged = shell.record(*program, merge=True)["classes"]
        assert sum(one.get("members", 1) for one in merged) == threads


def test_what_ends_without_a_profile_is_said(toolchain, shell, tmp_path, capsys):
    (tmp_path / "a.c").write_text(COUNT.replace("return 0", "*(volatile int *)0 = 1; return 0"))
    shell("dse-cc", "-O1", tmp_path / "a.c", "-o", tmp_path / "a", DSE_CLANG=toolchain.clang)
    for program, told in (
        (tmp_path / "a", "the program was ended by SIGSEGV; no profile"),
        ("true", "no instrumented program ran: was it built with dse-cc?"),
    ):
        with pytest.raises(typer.Exit) as ended:
            shell.record(program)
        assert ended.value.exit_code == 1
        assert told in capsys.readouterr().out
    told = shell("dse", "profile", "record", "-o", "a.json", "--", "./absent", status=2)
    assert "cannot be run" in told
    assert list(shell.folder.glob(".*-records*")) == []
