"""`dse serving`, its tables, words and page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dse.cli.main import main
from dse.models.serving.best import Task, apart, best_per_cut, together
from dse.models.serving.cli.page import measured_points
from dse.models.serving.compare import chances, side
from tests.models.serving import oracle

ASKED = (
    "--architecture",
    "gpt-oss-120b",
    "--device",
    "B200 SXM",
    "--stack",
    "trt",
    "--input",
    "921.6",
    "--output",
    "921.6",
)
LIMITS = ("--user-rate", "50", "--first-token", "2")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["serving", *arguments])
    return ended.value.code, capsys.readouterr()


def test_the_best_cuts_as_json(capsys):
    code, shown = run(capsys, *ASKED, *LIMITS, "--mode", "both", "--rows", "4", "--json")
    assert code == 0
    (engine,) = json.loads(shown.out)["engines"]
    rates = [design["serving_tokens_per_device"] for design in engine["designs"]]
    assert rates == sorted(rates, reverse=True)
    best = engine["designs"][0]
    assert (best["cut"], best["requests"]) == ("13 x g1 t1 d1 e1 + 16 x g2 t1 d2 e1", 1448)
    of = ("gpt-oss-120b", "B200 SXM", "trt", "fp4")
    halves = (oracle.engine(*of), 13.0, oracle.engine(*of, 1, 1, 2), 16.0)
    expected = oracle.apart(*halves, 1448.0, 921.6, 921.6)
    assert best["serving_tokens_per_device"] == pytest.approx(expected["rate_per_device"], rel=1e-9)
    assert all(design["user_token_rate"] >= 50.0 for design in engine["designs"])


@pytest.mark.parametrize(
    ("engine", "cut", "requests", "rate"),
    [
        (("gpt-oss-120b", "GB200", "trt", "mxfp4", 50.0), "g2 t1 d2 e1", 1024, 25633),
        (("gpt-oss-120b", "MI355X", "atom", "mxfp4", 50.0), "g2 t2 d1 e1", 512, 14892),
        (("gpt-oss-120b", "H200 SXM", "vllm", "mxfp4", 200.0), "g8 t8 d1 e1", 16, 428),
        (("gpt-oss-120b", "GB200", "trt", "mxfp4", 200.0), "g64 t1 d64 e64", 4096, 13324),
        (("deepseek-r1", "GB200", "trt", "fp4", 50.0), "g64 t1 d64 e64", 4096, 3624),
        (("deepseek-r1", "MI355X", "sglang", "fp8", 50.0), "g8 t8 d1 e1", 32, 202),
        (("deepseek-r1", "H200 SXM", "sglang", "fp8", 50.0), "g8 t8 d1 e1", 16, 111),
    ],
    ids=str,
)
def test_the_best_together_is_that_of_the_second_implementation(engine, cut, requests, rate):
    task = Task(*engine[:4], 921.6, 921.6, engine[4], 2.0)
    best = best_per_cut(together(task), 1)[0]
    assert (best.cut, best.requests) == (cut, requests)
    assert round(best.values["serving_tokens_per_device"]) == rate


def test_halves_that_are_left_out_are_beaten():
    """The reduced halves leave as good a best as all of them, on a small domain."""
    task = Task("gpt-oss-120b", "B200 SXM", "trt", "mxfp4", 921.6, 921.6, 100.0, 2.0, largest=2)
    of, best = ("gpt-oss-120b", "B200 SXM", "trt", "fp4"), 0.0
    cuts = [(1, 1, 1), (2, 1, 1), (2, 2, 1), (1, 1, 2), (1, 2, 2)]
    for t, e, d in cuts:
        decoding = oracle.engine(*of, t, e, d)
        for b in (32, 64, 128, 256, 362, 512, 724):
            for own in cuts:
                pre = oracle.engine(*of, *own)
                for many in (1, 2, 5, 11, 16):
                    for others in (1, 3, 8, 16):
                        found = oracle.apart(pre, many, decoding, others, b, 921.6, 921.6)
                        if found["time_per_token"] <= 0.01:
                            best = max(best, found["rate_per_device"])
    assert best_per_cut(apart(task), 1)[0].values["serving_tokens_per_device"] >= best


def test_what_is_said_and_the_page(capsys, tmp_path):
    page = tmp_path / "serving.html"
    code, shown = run(capsys, *ASKED, *LIMITS, "--mode", "both", "--report", str(page))
    assert code == 0
    assert "39 fitted rows were 6.2 % off in the median" in shown.out
    assert "lengths are means" in shown.out
    text = page.read_text(encoding="utf-8")
    assert text.count('class="plotly-graph-div"') == 4
    for words in ("derived from public benchmark runs", "December 2025", "cuts not measured", "measured: B200 SXM trt"):
        assert words in text.replace("\\u003c", "<")


def test_engines_are_compared_with_a_probability(capsys):
    code, shown = run(capsys, *ASKED, "--device", "MI355X", "--stack", "atom", *LIMITS, "--json")
    assert code == 0
    answer = json.loads(shown.out)
    compared = {(one["first"], one["second"]): one for one in answer["compared"]}
    first, second = "B200 SXM trt mxfp4", "MI355X atom mxfp4"
    assert compared[first, second]["better"] + compared[second, first]["better"] == pytest.approx(1.0)
    low, middle, high = compared[first, second]["break_even_price_ratio"]
    assert low < middle < high
    assert "no row of the software on this class" in answer["without"]["MI355X trt mxfp4"]


def test_where_the_nearest_row_is_better_the_answer_says_so(capsys):
    asked = ("--architecture", "deepseek-r1", "--device", "B200 SXM", "--stack", "sglang", "--precision", "fp4")
    _, shown = run(capsys, *asked, *ASKED[6:])
    assert "here the nearest measured row is the better guess (16.5 %)" in " ".join(shown.out.split())


def test_prices_of_a_list(capsys, tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text("item,price [EUR],per,source\nB200 SXM,3.6,h,made up\n", encoding="utf-8")
    _, shown = run(capsys, *ASKED, *LIMITS, "--price", str(prices), "--json")
    design = json.loads(shown.out)["engines"][0]["designs"][0]
    assert design["cost_per_million"] == pytest.approx(3.6 / 3600.0 / design["serving_tokens_per_device"] * 1e6)
    prices.write_text("item,price [EUR],per,source\nB200 SXM,-1,h,made up\n", encoding="utf-8")
    code, shown = run(capsys, *ASKED, *LIMITS, "--price", str(prices))
    assert (code, "negative" in shown.err) == (2, True)
    prices.write_text("item,price [EUR],per,source\nH100 SXM,1,h,made up\n", encoding="utf-8")
    code, shown = run(capsys, *ASKED, *LIMITS, "--price", str(prices))
    assert (code, "B200 SXM" in shown.err) == (2, True)


def test_the_chance_of_an_engine_against_itself_is_even_and_errors_that_are_wider_are_less_sure():
    tasks = [
        Task("gpt-oss-120b", *of, "mxfp4", 921.6, 921.6, 50.0) for of in (("H200 SXM", "vllm"), ("B200 SXM", "vllm"))
    ]
    sides = [side(task, together(task), best_per_cut(together(task), 1)[0]) for task in tasks]
    table = chances([*sides, sides[0]], 50.0)
    assert table[1][0].better == 1.0
    assert table[0][2].better == pytest.approx(0.5, abs=0.05)


def test_measured_points_are_those_of_the_shape():
    points = measured_points(Task("gpt-oss-120b", "B200 SXM", "trt", "mxfp4", 921.6, 921.6))
    (rates,) = points.values()
    assert len(rates) > 5
    assert np.isfinite(rates).all()
    assert measured_points(Task("gpt-oss-120b", "B200 SXM", "trt", "mxfp4", 3000.0, 921.6)) == {}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("gpt-oss-120b", "gpt-oss-12b"), "did you mean 'gpt-oss-120b'"),
        (("B200 SXM", "B200 SX"), "did you mean 'B200 SXM'"),
        (("trt", "atom"), "pairs that have rows"),
        (("trt", "tr"), "did you mean 'trt'"),
        (("921.6", "0"), "--input: 0 tokens; allowed: at least 1"),
        (("921.6", "inf"), "--input: inf tokens; allowed: at least 1, at most 1e+12"),
    ],
)
def test_wrong_input_ends_with_2(capsys, changed, message):
    code, shown = run(capsys, *(changed[1] if word == changed[0] else word for word in ASKED))
    assert code == 2
    assert message in shown.err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--mode", "aparts", "did you mean 'apart'"),
        ("--user-rate", "1e6", "--user-rate: no cut fits the memory and the limits"),
        ("--precision", "fp5", "did you mean"),
    ],
)
def test_wrong_options_end_with_2(capsys, option, value, message):
    code, shown = run(capsys, *ASKED, option, value)
    assert code == 2
    assert message in shown.err
