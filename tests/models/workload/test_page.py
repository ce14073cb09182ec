"""The page of a profile: complete, self-contained, and only its own scripts may run."""

import base64
import hashlib
import re

from small_profiles import DOCUMENT, document

from dse.models.workload.cli.page import write_profile_page
from dse.models.workload.locality.summary import size, summary
from dse.models.workload.profile.reading import parse_profile
from dse.models.workload.profile.synthetic import synthetic_profile


def scripts_and_policy(text):
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, flags=re.DOTALL)
    digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    return digests, set(re.findall(r"sha256-([^']*)'", policy)), policy


def test_figures_and_policy(tmp_path):
    text = write_profile_page(parse_profile(DOCUMENT), tmp_path / "page.html").read_text(encoding="utf-8")
    digests, allowed, policy = scripts_and_policy(text)
    assert digests == allowed
    assert "default-src 'none'" in policy
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    for title in (
        "Instruction mix",
        "Hits by size of cache",
        "Parallelism by window",
        "Branch entropy",
        "Reuse distances by class",
        "Locality",
        "About",
    ):
        assert f"<h2>{title}</h2>" in text
    assert text.count('class="plotly-graph-div"') == 6
    assert "SYNTHETIC" not in text
    assert "unbounded" in text


def test_what_is_missing_is_said(tmp_path):
    bare = document(**{f"classes__0__{key}": None for key in ("branch", "ilp", "data_reuse", "heatmap")})
    text = write_profile_page(parse_profile(bare), tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.count("Not in this profile.") == 5
    assert "Not in this profile. dse profile record --heatmap locality, or " in text
    assert text.count('class="plotly-graph-div"') == 1


def test_texts_are_no_markup(tmp_path):
    evil = document(name="<script>alert(1)</script>", source="</style><img src=x onerror=alert(1)>")
    evil["classes"][0]["name"] = "<b>bold</b></script><script>alert(2)</script>"
    evil["classes"].append({**evil["classes"][0], "name": "<i>other</i>"})
    text = write_profile_page(parse_profile(evil), tmp_path / "page.html").read_text(encoding="utf-8")
    digests, allowed, _ = scripts_and_policy(text)
    assert digests == allowed
    assert "<script>alert" not in text
    assert "<img" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_synthetic_and_crowded(tmp_path):
    text = write_profile_page(synthetic_profile("x"), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "SYNTHETIC DATA" in text
    many = document()
    many["classes"] = [{**many["classes"][0], "name": f"thread {n}"} for n in range(10)]
    text = write_profile_page(parse_profile(many), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The figures show the first 8 of 10 classes." in text


def test_summary():
    told = summary(parse_profile(DOCUMENT))["classes"][0]
    shares = {row["class"]: row["fraction"] for row in told["mix"] if row["part_of"] is None}
    assert sum(shares.values()) == 1.0
    assert [row["class"] for row in told["mix"]][3:7] == ["int", "int_arith", "int_mul", "int_div"]
    assert told["ilp"][1]["own"]["mem"] == 2.0
    assert told["ilp"][2]["window"] == "inf"
    hits = {row["bytes"]: row for row in told["data_reuse"][0]["hits"]}
    assert hits[2**26]["hit_fraction"] == 280 / 300
    assert hits[2**26]["hit_fraction_reference"] == 0.9333
    assert told["data_reuse"][1] == {"line_bytes": None, "references": 300, "cold_fraction": 0.25, "hits": []}
    assert [size(n) for n in (64, 2**15, 3 * 2**19, 2**31, 2**41)] == ["64 B", "32 KiB", "1.5 MiB", "2 GiB", "2 TiB"]
