"""Small programs whose metrics are known to the last digit."""

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

ALIGNED = "_Alignas(4096) static volatile"


def test_triad(build: Callable, run: Callable) -> None:
    found = run(
        build(
            f"""enum {{ N = 4096, R = 3 }};
            {ALIGNED} double a[N], b[N], c[N];
            int main(void) {{
              for (int r = 0; r < R; r++)
                for (int i = 0; i < N; i++) {{ double x = b[i], y = c[i]; a[i] = x + 3.0 * y; }}
            }}"""
        )
    )
    mix = found.thread["mix"]
    assert (mix["load"], mix["store"], mix["fp"], mix["fp_mul"]) == (24576, 12288, 24576, 12288)
    assert found.thread["footprint_bytes"] == 24 * 4096
    assert found.bins() == {2: 32256, 2048: 3072}
    assert found.cold() == 1536
    assert found.ilp(32) == pytest.approx(11.0, rel=0.05)
    assert found.ilp(128) == pytest.approx(11.0, rel=0.05)
    assert found.thread["memory_entropy"][0] == [64, pytest.approx(10.584962500721156)]


def test_a_contracted_triad_counts_as_one_that_is_not(build: Callable, run: Callable) -> None:
    text = f"""{ALIGNED} double a[512], b[512], c[512];
    int main(void) {{ for (int i = 0; i < 512; i++) a[i] = b[i] + 3.0 * c[i]; }}"""
    fused = run(build(text, "-ffp-contract=on", name="fused"), folder="fused").thread
    apart = run(build(text, "-ffp-contract=off", name="apart"), folder="apart").thread
    for key in ("mix", "ilp", "reuse"):
        assert fused[key] == apart[key]


def test_matrix_multiply(build: Callable, run: Callable) -> None:
    found = run(
        build(
            f"""enum {{ N = 32 }};
            {ALIGNED} double a[N][N]; {ALIGNED} double b[N][N]; {ALIGNED} double c[N][N];
            int main(void) {{
              for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {{
                double sum = 0;
                for (int k = 0; k < N; k++) {{ double x = a[i][k], y = b[k][j]; sum += x * y; }}
                c[i][j] = sum;
              }}
            }}"""
        )
    )
    mix = found.thread["mix"]
    assert (mix["load"], mix["store"], mix["fp"]) == (65536, 1024, 65536)
    assert found.thread["footprint_bytes"] == 24576
    assert found.cold() == 384
    assert found.bins() == {1: 28672, 32: 3968, 64: 29568, 256: 3968}


def test_ring_of_pointers(build: Callable, run: Callable) -> None:
    found = run(
        build(
            """enum { K = 512, H = 20000 };
            struct node { struct node *volatile next; char rest[56]; };
            _Alignas(64) static struct node ring[K];
            struct node *volatile last;
            int main(void) {
              for (int i = 0; i < K; i++) ring[i].next = &ring[(i + 1) % K];
              struct node *at = ring;
              for (int h = 0; h < H; h++) at = at->next;
              __asm__ volatile("" : : "r"(at));
            }"""
        )
    )
    mix = found.thread["mix"]
    assert (mix["load"], mix["store"]) == (20000, 512)
    assert (found.bins(), found.cold()) == ({512: 20000}, 512)
    assert found.ilp("inf") == pytest.approx(4.07, rel=0.05)
    assert found.ilp(32) == pytest.approx(3.98, rel=0.05)
    assert next(row["span_mem"] for row in found.thread["ilp"] if row["window"] == "inf") >= 20000


def test_chain_of_products(build: Callable, run: Callable) -> None:
    found = run(
        build(
            """int main(int n, char **a) {
              unsigned x = n;
              for (int i = 0; i < 50000; i++) x = x * 1664525u + 1013904223u;
              __asm__ volatile("" : : "r"(x)); }"""
        )
    )
    assert found.thread["mix"]["int_mul"] == 50000
    assert 250000 <= found.thread["instructions"] <= 250030
    for window in (32, 64, 128, "inf"):
        assert found.ilp(window) == pytest.approx(2.5, rel=0.01)


def test_volatile_counter(build: Callable, run: Callable) -> None:
    found = run(build("volatile int v; int main(void) { for (int i = 0; i < 50000; i++) v++; }"))
    assert 300000 <= found.thread["instructions"] <= 300016
    assert found.ilp("inf") == pytest.approx(2.0, rel=0.01)
    assert found.bins()[0] == 99999


def test_bytes_of_one_word_are_independent(build: Callable, run: Callable) -> None:
    text = f"{ALIGNED} unsigned char a[4096]; int main(void) {{ for (int i = 0; i < 4096; i++) a[i] ^= 1; }}"
    assert run(build(text)).ilp(128) > 5


def test_periodic_branch(build: Callable, run: Callable) -> None:
    text = """int main(void) { for (int i = 0; i < 30000; i++) {
      if (i % 3 == 0) __asm__ volatile("nop"); else __asm__ volatile("nop; nop"); } }"""
    branches = run(build(text), branches="conditional").thread["branches"]
    assert branches["conditional_only"]
    assert branches["events"] == 60000
    assert all(bits < 0.001 for history, bits in branches["entropy"] if history >= 6)
    assert [history for history, _ in branches["local"]] == [4, 8, 12]
    assert all(bits < 0.001 for _, bits in branches["local"])
    assert all(one["miss_rate"] < 0.001 for one in branches["max_outcome"])


def test_random_branch(build: Callable, run: Callable) -> None:
    text = """int main(void) { unsigned s = 2463534242u; for (int i = 0; i < 65536; i++) {
      s ^= s << 13; s ^= s >> 17; s ^= s << 5;
      if (s & 1) __asm__ volatile("nop"); else __asm__ volatile("nop; nop"); } }"""
    program = build(text)
    branches = run(program, branches="conditional").thread["branches"]
    assert dict(branches["entropy"])[8] == pytest.approx(0.52, abs=0.02)
    # Every other outcome is the loop's; of the random ones half are foretold.
    assert dict(branches["local"])[4] == pytest.approx(0.5, abs=0.01)
    rates = {(one["history"], one["table"]): one["miss_rate"] for one in branches["max_outcome"]}
    assert rates[8, None] == rates[8, 4096] == pytest.approx(0.25, abs=0.01)
    # What always goes one way adds outcomes and no misses.
    every = run(program, folder="all").thread["branches"]
    assert every["events"] > branches["events"] + 60000
    missed = dict(branches["local"])[4] * branches["events"]
    assert dict(every["local"])[4] * every["events"] == pytest.approx(missed, rel=1e-3)


def test_control_instructions_one_by_one(build: Callable, run: Callable) -> None:
    """BASE: each control instruction takes a cycle of its own, so a loop of short independent turns takes one a branch."""
    found = run(
        build(
            f"""{ALIGNED} int a[4096];
            int main(void) {{ for (int i = 0; i < 4096; i++) if (a[i & 7]) a[i] = 1; }}"""
        ),
        windows="inf,base,base-wait",
    ).thread
    ideal, base, waiting = found["ilp"]
    assert (ideal["order"], base["order"], base["window"]) == ("out", "base", "inf")
    control = found["mix"]["control"]
    assert control >= 2 * 4096
    assert base["span_control"] == control
    assert control <= base["span"] <= control + 16
    assert ideal["span"] <= 4096 + 16
    assert waiting["order"] == "base-wait"
    assert waiting["span"] >= 2 * control  # a load and a compare before each branch, in cycles of their own
    assert base["instructions"] == ideal["instructions"] == found["instructions"]


def test_vectors(build: Callable, run: Callable) -> None:
    text = """typedef double v4 __attribute__((vector_size(32)));
    _Alignas(64) volatile v4 a, b; int main(void) { for (int i = 0; i < 1000; i++) a = a + b; }"""
    found = run(build(text, "-mavx"))
    vectors = {(row["class"], row["length"], row["bits"]): row["count"] for row in found.thread["vectors"]}
    assert vectors == {("fp", 4, 64): 1000, ("load", 4, 64): 2000, ("store", 4, 64): 1000}
    assert found.thread["footprint_bytes"] == 64


def test_recursion_returns_as_often_as_it_calls(build: Callable, run: Callable) -> None:
    text = """volatile int count; __attribute__((noinline)) int fib(int n) {
      count++; return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    int main(void) { return fib(15) != 610; }"""
    found = run(build(text))
    assert found.status == 0
    assert (found.thread["mix"]["load"], found.thread["mix"]["store"]) == (1973, 1973)
    assert found.record["depth_mismatches"] == 0
    assert found.thread["mix"]["rets"] == found.thread["mix"]["calls"] + 1


def test_unoptimised_and_optimised_touch_volatile_data_alike(build: Callable, run: Callable) -> None:
    text = "volatile int v[100]; int main(void) { for (int i = 0; i < 100; i++) v[i] += i; return 0; }"
    slow = run(build(text, "-O0", name="slow"), folder="slow").thread["mix"]
    fast = run(build(text, name="fast"), folder="fast").thread["mix"]
    assert (slow["load"], slow["store"]) == (fast["load"], fast["store"]) == (100, 100)


def test_block_copies_are_references_and_no_loads(build: Callable, run: Callable) -> None:
    text = """#include <string.h>
    _Alignas(64) static char from[640], to[640]; volatile unsigned long n = 640;
    int main(void) {
      __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
      memcpy(to, from, n);
      __asm__ volatile("" : : "r"(to) : "memory"); }"""
    program = build(text)
    lines = run(program, folder="lines").thread
    none = run(program, folder="none", block_copies="none").thread
    assert lines["mix"] == none["mix"]
    assert lines["footprint_bytes"] - none["footprint_bytes"] == 1280
    assert lines["reuse"][0]["references"] - none["reuse"][0]["references"] == 20


def test_masked_accesses_gathers_and_scatters(toolchain, build: Callable, run: Callable, tmp_path: Path) -> None:
    def numbers(values: Iterable[int]) -> str:
        return "{" + ",".join(map(str, values)) + "}"

    # With the width fixed by the processor; then for any, as the masks stay in the intermediate representation.
    source, optimised = tmp_path / "wide.c", tmp_path / "wide.ll"
    source.write_text(f"""enum {{ N = 64 }};
    _Alignas(64) int from[4 * N], to[4 * N], third[N];
    int place[N] = {numbers(range(0, 256, 4))}, wanted[N] = {numbers([1, 0, 0, 0] * 16)};
    __attribute__((noinline)) void masked(void) {{ for (int i = 0; i < N; i++) if (wanted[i]) third[i] = from[i]; }}
    __attribute__((noinline)) void gathered(void) {{ for (int i = 0; i < N; i++) third[i] = from[place[i]]; }}
    __attribute__((noinline)) void scattered(void) {{
      _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < N; i++) to[place[i]] = third[i]; }}
    int main(void) {{ masked(); gathered(); scattered(); return 0; }}""")
    wide = ["-O3", "-march=skylake-avx512", "-mprefer-vector-width=256", "-S", "-emit-llvm"]
    subprocess.run([toolchain.clang, *wide, str(source), "-o", str(optimised)], check=True, timeout=300)
    text = re.sub(r' "(target-cpu|target-features|tune-cpu)"="[^"]*"', "", optimised.read_text())
    for name, count in {"gather": 8, "scatter": 8, "store": 8}.items():
        assert len(re.findall(rf"call [^@]*@llvm\.masked\.{name}\.v8i32", text)) == count
    thread = run(build(text, "-O0", suffix=".ll")).thread
    vectors = {(row["class"], row["length"], row["bits"]): row["count"] for row in thread["vectors"]}
    # Each function: 8 turns, two vectors read and one written.
    assert (vectors["load", 8, 32], vectors["store", 8, 32]) == (48, 24)
    # A gather or scatter is a reference per element, the rest one each.
    assert thread["reuse"][0]["references"] == 5 * 8 + 64 + 2 * 8 + 64
    # Of `from` the first 64 elements, and 48 beyond them; 64 of each of the others.
    assert thread["footprint_bytes"] == 4 * (64 + 48) + 4 * 4 * 64
