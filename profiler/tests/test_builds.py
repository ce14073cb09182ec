"""The compilers dse-cc and dse-c++ in builds of all kinds, and `dse profile record` on what they built."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROFILER = Path(__file__).parents[1]
WRAPPERS = PROFILER / "wrappers"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("profiler")]

COUNT = "volatile long n;\nint main(void) { for (int i = 0; i < 100; i++) n++; return 0; }\n"


@pytest.fixture
def run(tmp_path, cache):
    """Run a command in an empty folder, with the wrappers and a cache that tests share on the paths."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(WRAPPERS), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "XDG_CACHE_HOME": str(cache),
        **{"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    }

    def run(*command, status=0, **more):
        done = subprocess.run(
            [str(part) for part in command],
            **{"cwd": tmp_path, "env": environment | more, "capture_output": True, "text": True, "timeout": 300},
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def clang(need):
    need("clang-19", "llvm-config-19", "g++", "make", packages="clang-19 llvm-19-dev g++ make")


@pytest.fixture
def fake(tmp_path, run):
    """A compiler that prints its arguments, in place of clang 19, with a product that is built already."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("clang-19", "clang++-19", "llvm-config-19"):
        (tools / name).write_text('#!/bin/sh\nprintf "%s\\n" "$0" "$@"\n')
        (tools / name).chmod(0o755)
    (tools / "make").write_text(
        "#!/bin/sh\nfor a do case $a in BUILD=*) b=${a#*=};; esac; done\n"
        ': >"$b/dse_pass.so"; : >"$b/libdse_runtime.a"; echo built >>"$LOG"\n'
    )
    (tools / "make").chmod(0o755)
    for name in ("sh", "cat", "cksum", "mkdir", "mv", "rm", "sleep", "readlink", "dirname", "tr", "tail", "grep"):
        (tools / name).symlink_to(shutil.which(name))

    def call(name, *arguments, status=0, **more):
        paths = {"PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LOG": str(tmp_path / "log")}
        return run(WRAPPERS / name, *arguments, status=status, **paths, **more).splitlines()

    call.tools = tools
    return call


def record(run, tmp_path, *command, options=()):
    out = tmp_path / "profile.json"
    out.unlink(missing_ok=True)
    run("dse", "profile", "record", "-o", out, *options, "--", *command)
    return json.loads(out.read_text())


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
    ],
)
def test_the_runtime_is_added_where_a_program_is_linked(fake, tmp_path, arguments, passes, links):
    (tmp_path / "arguments").write_text("-c 'a b.c'\n")
    given = fake("dse-cc", *arguments)
    assert any(one.startswith("-fpass-plugin=") for one in given) == passes
    assert any(one.endswith("libdse_runtime.a") for one in given) == links
    assert [one for one in given if one in arguments] == arguments


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


def test_it_is_built_once_and_cxx_takes_its_own_driver(fake, tmp_path):
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


def test_a_program_of_two_files_in_a_folder_with_blanks(clang, run, tmp_path):
    folder = tmp_path / "with blanks"
    folder.mkdir()
    (folder / "main.c").write_text("void f(void);\nint main(void) { f(); return 3; }\n")
    (folder / "f.c").write_text("volatile long n;\nvoid f(void) { for (int i = 0; i < 100; i++) n++; }\n")
    (folder / "Makefile").write_text("a: main.o f.o\n\t$(CC) $^ -o $@\n")
    run("make", "-C", folder, "-j2", "CC=dse-cc", "CFLAGS=-O1 -fno-unroll-loops")
    out = tmp_path / "two.json"
    run("dse", "profile", "record", "-o", out, "--parameter", "n=100", "--", folder / "a", status=3)
    (only,) = json.loads(out.read_text())["classes"]
    assert (only["mix"]["load"], only["mix"]["store"]) == (100, 100)
    shown = run("dse", "profile", "show", out)
    assert "100" in shown
    assert "linear entropy, own past" in shown
    assert "misses, 4096 entries" in shown


def test_a_shared_library_is_counted_with_its_program(clang, run, tmp_path):
    (tmp_path / "f.c").write_text("volatile long n;\nvoid f(void) { for (int i = 0; i < 100; i++) n++; }\n")
    (tmp_path / "main.c").write_text("void f(void);\nint main(void) { f(); return 0; }\n")
    run("dse-cc", "-O1", "-fPIC", "-shared", "f.c", "-o", "libf.so")
    run("dse-cc", "-O1", "main.c", "-L.", "-lf", f"-Wl,-rpath,{tmp_path}", "-o", "main")
    assert record(run, tmp_path, tmp_path / "main")["classes"][0]["mix"]["load"] == 100


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


def test_a_configure_script_is_answered_and_finds_no_litter(clang, run, tmp_path):
    (tmp_path / "configure").write_text(CONFIGURE)
    (tmp_path / "main.c").write_text(COUNT.replace("return 0", "return SIZE != 8"))
    run("sh", "configure", CC="dse-cc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Makefile", "configure", "main.c"]

    run("make", "-s")
    (process,) = record(run, tmp_path, "./program")["classes"]
    assert 100 <= process["mix"]["load"] <= 116


def test_cmake_takes_the_compilers(clang, need, run, tmp_path):
    need("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p C CXX)\nadd_executable(a a.cc)\n"
    )
    (tmp_path / "a.cc").write_text(
        "#include <stdexcept>\nvolatile long n;\n"
        'static void deep(int k) { n = n + 1; if (!k) throw std::runtime_error("x"); deep(k - 1); n = n + 1; }\n'
        "int main() { for (int i = 0; i < 10; i++) try { deep(9); } catch (const std::exception &) {} return 0; }\n"
    )
    run("cmake", "-S", ".", "-B", "b", "-DCMAKE_C_COMPILER=dse-cc", "-DCMAKE_CXX_COMPILER=dse-c++")
    run("cmake", "--build", "b")
    document = record(run, tmp_path, tmp_path / "b" / "a")
    assert document["classes"][0]["mix"]["store"] >= 100
    assert "did not match" not in document.get("notes", "")


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_of_openmp_are_classes(clang, need, run, tmp_path, threads):
    need("/usr/lib/llvm-19/lib/libomp.so", packages="libomp-19-dev")
    (tmp_path / "a.c").write_text(
        "#include <omp.h>\nvolatile long n[64 * 8];\nint main(void) {\n"
        "#pragma omp parallel\n  {\n    volatile long *own = n + 8 * omp_get_thread_num();\n"
        "    for (int i = 0; i < 1000; i++) ++*own;\n  }\n  return 0;\n}\n"
    )
    run("dse-cc", "-O1", "-fopenmp", "a.c", "-o", "a")
    program = ("env", f"OMP_NUM_THREADS={threads}", tmp_path / "a")
    classes = record(run, tmp_path, *program)["classes"]
    assert [one["name"] for one in classes] == [f"process 0 thread {number}" for number in range(threads)]
    assert [one["role"] for one in classes] == ["master", *["worker"] * (threads - 1)]
    assert all(1000 <= one["mix"]["store"] <= 1016 for one in classes)
    merged = record(run, tmp_path, *program, options=["--merge"])["classes"]
    assert sum(one.get("members", 1) for one in merged) == threads


RING = """#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, in[4], out[4] = {1, 2, 3, 4}, sub;
  double all[64], one = 1;
  MPI_Comm back;
  MPI_Request r[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; i++) {
    MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 3, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &back);
  MPI_Comm_rank(back, &sub);
  MPI_Sendrecv(out, 1, MPI_INT, (sub + 1) % size, 1, in, 4, MPI_INT, MPI_ANY_SOURCE, 1, back, MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(&one, all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Scan(&one, all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Alltoall(all, 1, MPI_DOUBLE, all + 32, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(all, &one, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def test_messages_of_mpi_are_counted_to_the_byte(clang, need, run, tmp_path):
    need("mpicc", "mpirun", packages="libopenmpi-dev openmpi-bin")
    (tmp_path / "ring.c").write_text(RING)
    run("mpicc", "-O2", "ring.c", "-o", "ring", OMPI_CC="dse-cc")
    document = record(run, tmp_path, "mpirun", "--oversubscribe", "-n", 3, tmp_path / "ring")
    assert document["run"]["processes"] == 3
    for rank, item in enumerate(document["classes"]):
        p2p, collectives = item["comm"]["p2p"], item["comm"]["collectives"]
        # Five messages of 12 bytes go round, one of 4 goes round the reversed ring.
        assert [p2p[name] for name in ("messages", "bytes", "sent_messages", "sent_bytes")] == [6, 64, 6, 64]
        assert [list(peer.values()) for peer in p2p["peers"]] == [[1, 1, 4], [2, 5, 60]]
        assert [list(peer.values()) for peer in p2p["sent_peers"]] == [[1, 5, 60], [2, 1, 4]]
        assert p2p["sizes"] == [[4, 1, 4], [16, 5, 60]]
        root = rank == 0
        assert {name: one["bytes"] for name, one in collectives.items()} == {
            **{"MPI_Barrier": 0, "MPI_Bcast": 0 if root else 8, "MPI_Reduce": 8 if root else 0, "MPI_Allreduce": 8},
            **{"MPI_Scan": 8, "MPI_Gather": 24 if root else 0, "MPI_Allgather": 24, "MPI_Scatter": 8},
            **{"MPI_Alltoall": 24, "MPI_Reduce_scatter_block": 8, "MPI_Comm_create": 0},
        }


WAITS = """#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, in[8], out[8] = {0}, which, count, many[4], flag = 0;
  double sum = 0, one = 1, shared[4] = {0};
  MPI_Request r[4];
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, last, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < 2; i++) MPI_Isend(out, 1, MPI_INT, next, i, MPI_COMM_WORLD, &r[2 + i]);
  MPI_Waitany(4, r, &which, MPI_STATUS_IGNORE);
  for (int left = 3; left > 0; left -= count) MPI_Waitsome(4, r, &count, many, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 8, MPI_INT, last, 2, MPI_COMM_WORLD, &r[0]);
  MPI_Send(out, 5, MPI_INT, next, 2, MPI_COMM_WORLD);
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  MPI_Recv_init(in, 2, MPI_INT, last, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Send_init(out, 2, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, r);
    for (flag = 0; !flag;) MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Win_create(shared, sizeof shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&one, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return sum != size;
}
"""


def test_however_messages_of_mpi_are_waited_for(clang, need, run, tmp_path):
    need("mpicc", "mpirun", packages="libopenmpi-dev openmpi-bin")
    (tmp_path / "waits.c").write_text(WAITS)
    run("mpicc", "-O2", "waits.c", "-o", "waits", OMPI_CC="dse-cc")
    for item in record(run, tmp_path, "mpirun", "--oversubscribe", "-n", 3, tmp_path / "waits")["classes"]:
        p2p = item["comm"]["p2p"]
        # Two of 4 bytes, one of 20 and three of 8 each way, and 8 bytes put into the next one's window.
        assert (p2p["messages"], p2p["bytes"]) == (6, 52)
        assert (p2p["sent_messages"], p2p["sent_bytes"]) == (7, 60)
        assert item["comm"]["collectives"]["MPI_Allreduce"]["bytes"] == 8


def test_what_ends_without_a_profile_is_said(clang, run, tmp_path):
    (tmp_path / "a.c").write_text(COUNT.replace("return 0", "*(volatile int *)0 = 1; return 0"))
    run("dse-cc", "-O1", "a.c", "-o", "a")
    told = run("dse", "profile", "record", "-o", "a.json", "--", tmp_path / "a", status=1)
    assert "the program was ended by SIGSEGV; no profile" in told
    told = run("dse", "profile", "record", "-o", "a.json", "--", "true", status=1)
    assert "no instrumented program ran: was it built with dse-cc?" in told
    assert "cannot be run" in run("dse", "profile", "record", "-o", "a.json", "--", "./absent", status=2)
    assert list(tmp_path.glob(".a-records*")) == []
