"""A space by choices is the union of the alternatives that the members make together: the same numbers and bytes."""

from itertools import product

import pytest
from toy import STUDY, edited

from dse import Study
from dse.errors import InputError

AXES = 'nodes = { powers_of_two = [1, 64] }\nfrequency = { values = ["1 GHz", "2 GHz"] }\n'
NODE = {
    "plain": '{ axes = { frequency = { values = ["1 GHz", "2 GHz"] } } }',
    "parts": '{ description = "sold", set = { base_power = "1 W" }, axes = { clock = { part = "parts.csv" } } }',
}
NETWORK = {
    "torus": '{ use = { network = "torus" }, axes = { nodes = { powers_of_two = [1, 64] } } }',
    "tree": '{ description = "fat", use = { network = "tree" }, axes = { nodes = { values = [3, 5, 48] } } }',
    "star": '{ use = { network = "tree" }, axes = { nodes = { values = [7] } } }',
}


def choices(**members):
    return "".join(
        f'[space.choices.{choice}."{member}"]\n' + lines(text)
        for choice, of in members.items()
        for member, text in of.items()
    )


def lines(table):
    """The keys of an inline table, a line each."""
    return "\n".join(f"{key} = {value}" for key, value in parts(table)) + "\n"


def parts(table):
    """The keys and values of an inline table, which holds no comma between braces but those of its own level."""
    inner, depth, start, found = table.strip()[1:-1], 0, 0, []
    for place, sign in enumerate(inner + ","):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            key, _, value = inner[start:place].partition("=")
            found.append((key.strip(), value.strip()))
            start = place + 1
    return found


def study(toy, space, exclude=""):
    text = edited(STUDY, ('[use]\nnetwork = "torus"\n', ""), (AXES, ""), ("[space.axes]\n", ""))
    text = text.replace("[search]", f"{exclude}{space}[search]")
    return Study.from_text(text, folder=toy)


def written_out(chosen):
    """The alternatives that pairs of members make, as a study without choices has them."""
    text = ""
    for node, network in chosen:
        text += f'[space.alternatives."{node} {network}"]\n'
        own = [*parts(NODE[node]), *parts(NETWORK[network])]
        axes = [value[1:-1] for key, value in own if key == "axes"]
        text += "".join(f"{key} = {value}\n" for key, value in own if key not in ("axes", "description"))
        text += f"axes = {{ {', '.join(axes)} }}\n"
    return text


EXCLUDE = "[space]\nexclude = [\"node == 'parts' and not network in ['torus', 'star']\"]\n"


@pytest.mark.parametrize("exclude", ["", EXCLUDE])
def test_the_same_as_the_alternatives_written_out(toy, exclude):
    by_choices = study(toy, choices(node=NODE, network=NETWORK), exclude)
    chosen = [pair for pair in product(NODE, NETWORK) if not exclude or pair != ("parts", "tree")]
    explicit = study(toy, written_out(chosen))
    assert [one.name for one in by_choices.space.products] == [f"{node} {network}" for node, network in chosen]
    for one, other in zip(by_choices.space.products, explicit.space.products, strict=True):
        assert [axis.name for axis in one.axes] == [axis.name for axis in other.axes]
        assert (one.size, one.fixed, one.use) == (other.size, other.fixed, other.use)
    assert by_choices.run().frontier.equals(explicit.run().frontier)


def test_an_axis_of_a_member_is_made_once(toy):
    made = study(toy, choices(node=NODE, network=NETWORK)).space.products
    assert made[0].axis("frequency") is made[2].axis("frequency")


def test_conditions_read_choices_and_no_quantity(toy):
    refused(
        toy,
        "[space]\nexclude = [\"topology == 'torus'\"]\n",
        "space.exclude[0]: unknown choice 'topology' in 'topology == 'torus''; allowed: node, network",
    )
    refused(
        toy,
        "[space]\nexclude = [\"node == 'plain'\", \"network == 'tre'\"]\n",
        "space.exclude[1]: 'tre' is no member of network; allowed: torus, tree, star; did you mean 'tree'?",
    )
    refused(
        toy,
        "[space]\nexclude = [\"node == 'torus'\"]\n",
        "space.exclude[0]: 'torus' is no member of node; allowed: plain, parts",
    )


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (["node == 'plain'", "node == 'parts'"], "space.exclude: no combination is left"),
        (
            ["node == 'plain' and node == 'parts'"],
            "space.exclude[0]: 'node == 'plain' and node == 'parts'' excludes nothing",
        ),
        (["1 < 2"], "space.exclude[0]: '1 < 2' reads no choice"),
        (["node"], "space.exclude[0]: 'node' is no condition"),
        (["node < 3"], "space.exclude[0]: a text and a number cannot be compared in 'node < 3'"),
        (["node == "], "space.exclude[0]: the expression 'node == ' ends too early"),
    ],
)
def test_conditions_that_make_no_sense(toy, conditions, message):
    refused(toy, f"[space]\nexclude = {conditions}\n", message)


def refused(toy, exclude, message, space=None):
    with pytest.raises(InputError) as error:
        assert study(toy, space or choices(node=NODE, network=NETWORK), exclude).space
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        ("[space]\nexclude = [\"node == 'a'\"]\n", "space.exclude: there are no choices"),
        (
            "[space.choices.node.a]\nset = { work = 1 }\n[space.alternatives.b]\n",
            "space.alternatives: there are choices too",
        ),
        ("[space.choices.node.a]\n", "space.choices.axes: the alternative 'a' has no axes"),
        ("[space.choices.node]\n", "space.choices.node: has 0 entries; allowed: at least 1"),
        ('[space.choices.node."a/b"]\n', "space.choices: 'a/b' is no name of a member of a choice"),
        (
            "[space.choices.node.a]\nsett = {}\n",
            "space.choices.node.a.sett: unknown key 'sett'; allowed: description, axes, ",
        ),
        (
            "[space.choices.node.a.axes]\nnodes = { vals = [1] }\n",
            "space.choices.node.a.axes.nodes.vals: unknown key 'vals'; allowed: values, range,",
        ),
        (
            "[space.choices.node.a.set]\nbase_power = 1\n[space.choices.network.b.set]\nbase_power = 2\n",
            "space.choices.network.b.set.base_power: given by members of two choices, here and at "
            "space.choices.node.a.set.base_power; allowed: one of them",
        ),
        (
            '[space.choices.node."a b"]\n[space.choices.node.a]\n[space.choices.kind.c]\n[space.choices.kind."b c"]\n',
            "space.choices: 2 alternatives are called 'a b c'",
        ),
        (
            "[space.choices.node.a.axes]\nnodes = { values = [1] }\n"
            "[space.choices.node.b.axes]\nnodes = { values = [-1] }\n",
            "space.choices.node.b.axes.nodes",
        ),
        (
            "[space.choices.node.a]\naxes = { nodes = { values = [1] } }\nuse = { network = 'tre' }\n",
            "space.choices.node.a.use.network: no component 'tre' for the slot 'network'; allowed: torus, tree; ",
        ),
        (
            "[space.choices.node.a.set]\nkind = 'x'\n[space.choices.node.a.axes]\nnodes = { values = [1] }\n"
            "frequency = { values = ['1 GHz'] }\n",
            "space.choices.node.a.set.kind: nothing depends on 'kind'",
        ),
        (
            "".join(f"[space.choices.c{c}.m{m}]\n" for c in range(6) for m in range(10)),
            "space.choices: the choices make 1000000 alternatives; allowed: at most 100000",
        ),
    ],
)
def test_bad_choices(toy, space, message):
    refused(toy, "", message, space)
