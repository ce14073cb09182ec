"""Enumerations: what may be marked as one, what it may return, how it is found, and what the words say."""

from typing import Annotated

import numpy as np
import pytest
from pydantic import Field

from dse import Enumerated, enumeration
from dse.authoring.declare.enumerations import refusals_text
from dse.authoring.library.library import find_enumeration, load_model
from dse.authoring.library.listing import available_models
from dse.errors import InputError, ModelError
from dse.space.axes import enumerated_axis

Number = Annotated[int, Field(ge=1, description="a whole number >= 1")]


@enumeration(source="me")
def squares(*, most: Number, odd: bool = False) -> Enumerated:
    """Squares.

    All of them.
    """
    roots = np.arange(1, most + 1)
    kept = roots[roots % 2 == 1] if odd else roots
    labels = [f"{root}x{root}" for root in kept]
    return Enumerated({"area": kept * kept}, labels, len(roots), {"it is even": len(roots) - len(kept), "never": 0})


def marked(function):
    return enumeration(source="me")(function)


def test_an_enumeration_is_its_function_and_more():
    assert (squares.name, squares.source, squares.doc) == ("squares", "me", "Squares.\n\nAll of them.")
    assert squares(most=2).labels == ("1x1", "2x2")
    assert squares.file.name == "test_enumerations.py"


def test_rows():
    found = squares.rows({"most": 5, "odd": True})
    assert found.columns["area"].tolist() == [1.0, 9.0, 25.0]
    assert found.account() == {"considered": 5, "kept": 3, "refused": {"it is even": 2}}
    assert squares.rows({"most": 5, "odd": True}).sha256 == found.sha256
    assert squares.rows({"most": 5}).sha256 != found.sha256


def test_words():
    assert refusals_text(squares(most=5, odd=True).account()) == "3 kept of 5 considered; refused: 2 × it is even"
    assert refusals_text(squares(most=5).account()) == "5 kept of 5 considered, none refused"
    many = Enumerated({"a": [1]}, ["x"], 1204, {"small": 3, "large": 1200})
    assert refusals_text(many.account()).endswith("refused: 1\u202f200 × large; 3 × small")


def test_the_axis():
    axis = enumerated_axis("shape", squares, {"most": 3}, "my.squares", {"area": "m^2"})
    assert (axis.name, len(axis), axis.is_part, axis.labels) == ("shape", 3, True, ("1x1", "2x2", "3x3"))
    assert (axis.units, axis.source) == ({"area": "m^2"}, "my.squares (most = 3)")
    assert axis.sources == ("me",) * 3
    assert axis.row_of("2x2") == 1
    assert axis.only(1).labels == ("2x2",)
    with pytest.raises(InputError, match="'shape' has no '2x3'; allowed: 1x1, 2x2, 3x3; did you mean"):
        axis.row_of("2x3")
    with pytest.raises(ModelError, match="gives 'area', which no model of the study declares"):
        enumerated_axis("shape", squares, {"most": 3}, "my.squares", {})
    with pytest.raises(ModelError, match="gives numbers for 'area', which is declared a text"):
        enumerated_axis("shape", squares, {"most": 3}, "my.squares", {"area": "text"})


def test_rows_may_tell_how_well_their_law_held():
    """It travels with the row, counts for the hash of the rows, and is short and printable."""

    def listed(*texts):
        return marked(lambda: Enumerated({"area": [1, 2]}, ["x", "y"], 2, validations=texts))

    held = listed("1 machine: +3 %", "")
    assert held.rows({}).validations == ("1 machine: +3 %", "")
    assert enumerated_axis("shape", held, {}, "mine", {"area": "m^2"}).validations == ("1 machine: +3 %", "")
    hashes = {listed(*texts).rows({}).sha256 for texts in ((), ("1 machine: +3 %", ""), ("", "1 machine: +3 %"))}
    assert len(hashes) == 3
    with pytest.raises(ModelError, match="gives 1 validations, and there are 2 labels"):
        listed("one").rows({})
    with pytest.raises(ModelError, match="the validation of 'y': has 201 characters; allowed: at most 200"):
        listed("", "x" * 201).rows({})
    with pytest.raises(ModelError, match=r"the validation of 'x': .*the control character U\+000A"):
        listed("two\nlines", "").rows({})


def test_a_wrong_label_among_very_many_is_refused_at_once():
    labels = [f"{n}x{n}" for n in range(30_000)]
    found = marked(lambda: Enumerated({"a": np.arange(30_000)}, labels, 30_000))
    axis = enumerated_axis("shape", found, {}, "many", {"a": "1"})
    with pytest.raises(InputError, match=r"'shape' has no 'y'; allowed: 0x0, .*, … \(29988 more\)$"):
        axis.row_of("y")


def test_what_cannot_be_marked():
    with pytest.raises(ModelError, match="'source' is empty"):
        enumeration(source="")(lambda: None)

    def positional(nodes: int) -> Enumerated: ...

    def bare(*, nodes) -> Enumerated: ...

    with pytest.raises(ModelError, match=r"argument 'nodes' must be keyword-only \(after a \*\)"):
        marked(positional)
    with pytest.raises(ModelError, match="argument 'nodes' needs an annotation"):
        marked(bare)


def fails():
    raise KeyError("x")


FAULTS = [
    (lambda: [1], "must return Enumerated, not list"),
    (lambda: Enumerated({"a": [1, 2]}, ["x"], 1), r"the column 'a' has the shape \(2,\), and there are 1 labels"),
    (lambda: Enumerated({"a": [[1]]}, ["x"], 1), r"the column 'a' has the shape \(1, 1\), and there are 1 labels"),
    (lambda: Enumerated({"a": [np.nan]}, ["x"], 1), "the column 'a' has a value that is not finite"),
    (lambda: Enumerated({"a": ["y"]}, ["x"], 1), "fails: ValueError"),
    (lambda: Enumerated({}, ["x"], 1), "gives no column"),
    (lambda: Enumerated({"a": [1]}, ["x"], 1, sources=["s", "t"]), "gives 2 sources, and there are 1 labels"),
    (lambda: Enumerated({"a": [1]}, ["x"], 1, confidences="AB"), "gives 2 confidences, and there are 1 labels"),
    (lambda: Enumerated({"a": [1, 2]}, ["x", "x"], 2), "the label 'x' stands twice"),
    (lambda: Enumerated({"a": [1]}, ["x"], 3, {"r": 1}), "3 were considered, but 1 kept and 1 refused"),
    (fails, "fails: KeyError: 'x'"),
]


@pytest.mark.parametrize(("function", "message"), FAULTS)
def test_what_cannot_be_returned(function, message):
    with pytest.raises(ModelError, match=message):
        marked(function).rows({})


def test_an_error_of_the_function_keeps_its_place():
    def refuses(*, nodes: int) -> Enumerated:
        raise InputError("is too much", key="nodes")

    with pytest.raises(InputError, match=r"^nodes: is too much$"):
        marked(refuses).rows({"nodes": 3})


def test_a_model_file_may_hold_nothing_but_enumerations(tmp_path):
    (tmp_path / "mine.py").write_text(
        'from dse import Enumerated, enumeration\n@enumeration(source="me")\ndef my_shapes() -> Enumerated:\n'
        '    """Mine."""\n    return Enumerated({"a": [1.0]}, ["one"], 1)\n'
    )
    model = load_model("mine.py", tmp_path)
    assert list(model.enumerations) == ["my_shapes"]
    found = find_enumeration("my-shapes", [model])
    assert (found.label, found.file) == ("mine.my_shapes", tmp_path / "mine.py")
    assert not any("shapes" in name for name in available_models())
