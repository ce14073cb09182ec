"""Programs that would rather not be measured: their output and status stay as they are."""

import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

STORM = """#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
volatile long count, seen; static char a[4096], b[4096]; volatile int n = 100;
__attribute__((noinline)) static void deep(int k) { memcpy(a, b, n); if (k) deep(k - 1); seen++; }
static void handle(int s) { deep(5); }
int main(void) {
  signal(SIGALRM, handle); signal(SIGPROF, handle);
  struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, 0); setitimer(ITIMER_PROF, &often, 0);
  for (long i = 0; i < 1000000; i++) { count++; if (i % 100 == 0) raise(SIGALRM); }
  setitimer(ITIMER_REAL, &never, 0); setitimer(ITIMER_PROF, &never, 0);
  printf("%ld %d\\n", count, seen > 1000); return 0; }"""


def test_a_storm_of_signals_loses_no_more_than_events_of_handlers(build: Callable, run: Callable) -> None:
    found = run(build(STORM))
    assert (found.output, found.status) == ("1000000 1\n", 0)
    assert found.thread["mix"]["store"] >= 1_000_000
    assert found.thread["footprint_bytes"] < 1000


def test_a_hundred_thousand_frames(build: Callable, run: Callable) -> None:
    text = """volatile int v;
    int down(int n) { v++; if (!n) return 0; int below = down(n - 1); v++; return below + 1; }
    int main(void) { return down(100000) != 100000; }"""
    found = run(build(text, "-fno-inline"))
    assert found.status == 0
    assert found.thread["mix"]["store"] == 200_001
    assert found.record["depth_mismatches"] == 0


def test_threads_that_run_and_end_while_main_leaves(build: Callable, run: Callable) -> None:
    text = """#include <pthread.h>
    #include <unistd.h>
    static volatile long own[8][64], done[256];
    static void *spin(void *n) { for (;;) own[(long)n][0]++; }
    static void *brief(void *n) { for (int i = 0; i < 1000; i++) done[(long)n]++; return 0; }
    int main(void) { pthread_t t;
      for (long i = 0; i < 4; i++) { pthread_create(&t, 0, spin, (void *)i); pthread_detach(t); }
      for (long i = 0; i < 100; i++) { pthread_create(&t, 0, brief, (void *)i); pthread_detach(t); }
      usleep(50000); return 5; }"""
    found = run(build(text, "-pthread"))
    assert found.status == 5
    stores = [thread["mix"]["store"] for thread in found.record["threads"]]
    assert stores.count(1000) > 5
    assert all(count <= 1000 for count in sorted(stores)[:-4])


def test_destructors_that_run_threads(build: Callable, run: Callable) -> None:
    text = """#include <thread>
    volatile long v[8];
    struct Tail { int n; ~Tail() { v[n] = v[n] + 1; } };
    struct Late { ~Late() { for (int n = 0; n < 4; n++) std::thread([n] {
      thread_local Tail tail{n}; (void)&tail; for (int i = 0; i < 1000; i++) v[n] = v[n] + 1; }).join(); } } late;
    int main() { return 3; }"""
    found = run(build(text, "-pthread", suffix=".cpp"))
    assert found.status == 3
    assert all(1001 <= thread["mix"]["store"] <= 1010 for thread in found.record["threads"][1:])
    assert len(found.record["threads"]) == 5


def test_the_runtime_leaves_arithmetic_errno_and_the_environment_alone(build: Callable, run: Callable) -> None:
    text = """#define _GNU_SOURCE
    #include <errno.h>
    #include <fenv.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    volatile double x = 3; volatile long v;
    int main(void) { feenableexcept(FE_ALL_EXCEPT & ~FE_INEXACT); fesetround(FE_UPWARD); errno = 77;
      feenableexcept(FE_INEXACT);
      for (int i = 0; i < 200000; i++) v += i;
      printf("%d %d %d\\n", errno, fegetround() == FE_UPWARD, fetestexcept(FE_ALL_EXCEPT));
      setenv("DSE_PROFILE_DIR", "/no/such", 1); memset(getenv("PATH"), 'x', 3); return chdir("/"); }"""
    found = run(build(text, "-lm", "-ffp-model=strict"))
    assert (found.output, found.status) == ("77 1 0\n", 0)
    assert found.thread["mix"]["store"] >= 200_000


def test_a_record_that_is_too_large_for_its_limit_changes_no_status(toolchain, build: Callable, tmp_path: Path) -> None:
    program, folder = build("volatile int v; int main(void) { v++; return 3; }"), tmp_path / "limited"
    folder.mkdir()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    done = subprocess.run(
        [str(program)],
        env={"DSE_PROFILE_DIR": str(folder)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(f"dse: the profile cannot be written to {folder}")
    assert done.stderr.endswith(": File too large\n")
    assert list(folder.iterdir()) == []


def test_sigusr1_writes_what_there_is_and_the_program_goes_on(build: Callable, run: Callable, tmp_path: Path) -> None:
    text = """#include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    static volatile long own[4]; volatile int go; volatile long v;
    static void *work(void *n) { for (int i = 0; i < 100000; i++) own[(long)n]++; return 0; }
    int main(int n, char **a) { pthread_t t[4];
      for (int i = 0; i < 1000; i++) v++;
      raise(SIGUSR1);
      v++;
      char keep[9999]; sprintf(keep, "cp %s/*.dseprof %s", getenv("DSE_PROFILE_DIR"), a[1]);
      int status = system(keep);
      for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
      for (int i = 0; i < 20; i++) raise(SIGUSR1), v++;
      for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
      return status; }"""
    kept = tmp_path / "kept"
    kept.mkdir()
    found = run(build(text, "-pthread"), str(kept), metrics="mix,reuse,ilp")
    assert found.status == 0
    assert found.record["partial"] is None
    assert sorted(thread["mix"]["store"] for thread in found.record["threads"]) == [1021, *[100_000] * 4]
    (partial,) = type(found)(subprocess.CompletedProcess([], 0), kept).records
    assert partial["partial"].startswith("asked for by SIGUSR1 after ")
    assert partial["threads"][0]["mix"]["store"] == 1000


@pytest.mark.parametrize("blocked", [False, True], ids=["reads", "joins"])
def test_sigterm_reaches_a_program_that_waits(build: Callable, tmp_path: Path, blocked: bool) -> None:
    text = """#include <pthread.h>
    #include <stdio.h>
    #include <unistd.h>
    volatile long v; static void *spin(void *n) { for (;;) v++; }
    int main(int n, char **a) { pthread_t t; char c; v++;
      if (n > 1) pthread_create(&t, 0, spin, 0);
      puts("ready"); fflush(stdout);
      if (n > 1) pthread_join(t, 0);
      return read(0, &c, 1); }"""
    program = build(text, "-pthread")
    child = subprocess.Popen(
        [str(program), *["x"] * blocked],
        env={"DSE_PROFILE_DIR": str(tmp_path), "DSE_PROFILE_METRICS": "mix"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=20)
    assert child.returncode == -signal.SIGTERM
    (record,) = tmp_path.glob("*.dseprof")
    assert "ended by SIGTERM" in record.read_text()


def test_stacks_switched_by_hand_are_told(build: Callable, run: Callable) -> None:
    text = """#include <stdio.h>
    #include <ucontext.h>
    static ucontext_t outer, one, two; static char a[16384], b[16384]; volatile long v;
    __attribute__((noinline)) static void step(int k) { v++; if (k) step(k - 1); }
    static void first(void) { for (int i = 0; i < 100; i++) { step(3); swapcontext(&one, &two); } }
    static void second(void) { for (int i = 0; i < 100; i++) { step(5); swapcontext(&two, &one); } }
    static void make(ucontext_t *made, char *stack, void (*start)(void)) {
      getcontext(made); made->uc_stack.ss_sp = stack; made->uc_stack.ss_size = 16384; made->uc_link = &outer;
      makecontext(made, start, 0); }
    int main(void) { make(&one, a, first); make(&two, b, second); swapcontext(&outer, &one); printf("%ld\\n", v); }"""
    found = run(build(text))
    assert (found.output, found.status) == ("1000\n", 0)
    assert found.thread["mix"]["store"] >= 1000
    assert 100 <= found.record["depth_mismatches"] <= 300
    assert "switches stacks by itself" in found.record["notes"][0]


def test_small_stacks_and_an_exit_out_of_a_handler(build: Callable, run: Callable) -> None:
    text = """#include <limits.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdlib.h>
    static volatile long own[8]; static char small[8192];
    static void *work(void *n) { for (int i = 0; i < 30000; i++) own[(long)n]++; return 0; }
    static void handle(int s) { work((void *)7); exit(9); }
    int main(void) { pthread_t t; pthread_attr_t a; pthread_attr_init(&a);
      pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN); pthread_create(&t, &a, work, 0); pthread_join(t, 0);
      stack_t stack = {small, 0, sizeof small}; sigaltstack(&stack, 0);
      struct sigaction act = {.sa_handler = handle, .sa_flags = SA_ONSTACK}; sigaction(SIGUSR2, &act, 0);
      raise(SIGUSR2); }"""
    found = run(build(text, "-pthread"))
    assert found.status == 9
    assert [thread["mix"]["store"] // 10_000 for thread in found.record["threads"]] == [3, 3]


def test_threads_that_are_cancelled_at_once(build: Callable, run: Callable) -> None:
    text = """#include <pthread.h>
    #include <unistd.h>
    static volatile long own[4], seen;
    static void clean(void *n) { seen++; }
    static void *at_once(void *n) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); for (;;) own[(long)n]++; }
    static void *when_asked(void *n) { pthread_cleanup_push(clean, 0);
      for (;;) { own[(long)n]++; pthread_testcancel(); } pthread_cleanup_pop(0); }
    static void *last(void *n) { usleep(1000); for (int i = 0; i < 1000; i++) seen++; _exit(seen == 1010 ? 6 : 7); }
    int main(void) { pthread_t t[2];
      for (int round = 0; round < 10; round++) {
        pthread_create(&t[0], 0, at_once, (void *)0); pthread_create(&t[1], 0, when_asked, (void *)1);
        usleep(2000);
        for (int i = 0; i < 2; i++) pthread_cancel(t[i]), pthread_join(t[i], 0); }
      pthread_create(t, 0, last, 0); pthread_exit(0); }"""
    found = run(build(text, "-pthread"), metrics="mix,ilp")
    assert found.status == 6
    assert 1000 in [thread["mix"]["store"] for thread in found.record["threads"]]
