"""The pages of a study whose every text is hostile: nothing of it becomes a tag, and no script may run."""


def test_no_text_becomes_a_tag(make_run, tmp_path):
    study = make_run().study
    found = (
        study.sweep("overhead", "1, 1000 W", quantity="power", by="part"),
        study.attainable("power"),
        study.winner_map(("overhead", "1, 1000 W"), ("width", "1, 2"), quantity="power", by="part"),
    )
    for place, one in enumerate(found):
        page = one.report(tmp_path / f"{place}.html", study.spec.question).read_text()
        assert "<script" not in page
        assert "<img" not in page
        assert "script-src 'none'" in page
        assert "&lt;script&gt;alert(1)" in page
