"""Databases of HPCToolkit, written from what the formats say; no code of a reader is used.

Both kinds hold one program: main calls solve, which calls MPI_Wait; solve has a loop.
"""

import struct

FRAMES = ("main", "solve", "MPI_Wait")
EXPERIMENT = """<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT HPCToolkitExperiment (Header)>
<!ATTLIST HPCToolkitExperiment version CDATA #REQUIRED>
<!ATTLIST Metric t (inclusive|exclusive|nil) "nil">
]>
<HPCToolkitExperiment version="{version}"><Header n="app"><Info/></Header>
<SecCallPathProfile i="0" n="app"><SecHeader><MetricTable>{metrics}</MetricTable>
<MetricDBTable>{columns}</MetricDBTable>
<LoadModuleTable><LoadModule i="2" n="/bin/app"/></LoadModuleTable><FileTable><File i="3" n="app.c"/></FileTable>
<ProcedureTable><Procedure i="7" n="&lt;program root&gt;" f="1"/><Procedure i="4" n="main"/>
<Procedure i="5" n="solve"/><Procedure i="6" n="MPI_Wait"/></ProcedureTable></SecHeader>
<SecCallPathProfileData>
<PF i="1" s="1" l="0" lm="2" f="3" n="7"><C i="2" s="2" l="0"><PF i="3" s="3" l="1" lm="2" f="3" n="4">{0}
<S i="4" s="4" l="2">{1}</S>
<C i="5" s="5" l="9"><PF i="6" s="6" l="20" lm="2" f="3" n="5">{2}
<L i="7" s="7" l="21" f="3">{3}<S i="8" s="8" l="22">{4}</S></L><S i="9" s="9" l="30">{5}</S>
<C i="10" s="10" l="31"><PF i="11" s="11" l="0" lm="2" f="3" n="6">{6}<S i="12" s="12" l="0">{7}</S></PF></C></PF></C>
</PF></C></PF>
</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>
"""
NODES = 12


def sums(number, inside):
    """Values inside the file: of main, solve in its loop, solve beside it, MPI_Wait, and what they add to."""
    main, loop, beside, wait = inside
    solve = loop + beside
    shown = (main, main, solve, loop, loop, beside, wait, wait)
    return [f'<M n="{number}" v="{value:.6g}"/>' if value else "" for value in shown]


def experiment(folder, ranks=None, *, version="2.2", inside=None):
    """Write experiment.xml; of each rank {(rank, thread): (main, loop of solve, rest of solve, MPI_Wait)} in us.

    `inside`: the same four for the whole run, as values of the file itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    metrics, held = "", [""] * 8
    if inside is not None:
        metrics = (
            '<Metric i="0" n="CPUTIME (usec):Sum (I)" t="inclusive"/>'
            '<Metric i="1" n="CPUTIME (usec):Sum (E)" t="exclusive"/>'
            '<Metric i="2" n="CPUTIME (usec):Max (E)" t="exclusive"/>'
        )
        held = [first + second for first, second in zip(sums(1, inside), sums(2, inside), strict=True)]
    columns = "".join(
        f'<MetricDB i="{10 + place}" n="CPUTIME (usec) ({kind[0].upper()})" t="{kind}" partner="{11 - place}" '
        f'db-glob="*.metric-db" db-id="{place}" db-num-metrics="2" db-header-sz="32"/>'
        for place, kind in enumerate(("inclusive", "exclusive"))
        if ranks is not None
    )
    text = EXPERIMENT.format(*held, version=version, metrics=metrics, columns=columns)
    (folder / "experiment.xml").write_text(text, encoding="utf-8")
    for (rank, thread), (main, loop, beside, wait) in (ranks or {}).items():
        solve = loop + beside
        inclusive = [main + solve + wait] * 3 + [main] + [solve + wait] * 2 + [loop, loop, beside] + [wait] * 3
        exclusive = [0.0, 0.0, main, main, 0.0, solve, loop, loop, beside, 0.0, wait, wait]
        body = b"".join(struct.pack(">2d", *pair) for pair in zip(inclusive, exclusive, strict=True))
        head = b"HPCPROF-metricdb__" + b"00.10" + b"b" + struct.pack(">ii", NODES, 2)
        (folder / f"1.app-{rank:06d}-{thread:03d}-a8c00270-{100 + rank}-0.metric-db").write_bytes(head + body)
    return folder


class Placed:
    """Bytes that are put one behind the other, each at a place that can be pointed to."""

    def __init__(self, start):
        self.data, self.start = bytearray(), start

    def end(self):
        return self.start + len(self.data)

    def put(self, held):
        self.data += b"\0" * (-len(self.data) % 8)
        place = self.end()
        self.data += held
        return place

    def text(self, words):
        return self.put(words.encode() + b"\0")

    def fill(self, place, held):
        """Write what was left free, such as the header of a section that names what stands behind it."""
        self.data[place - self.start : place - self.start + len(held)] = held


def context(number, *, kind, children=(0, 0), function=0, relation=0):
    """A context: function, loop, line or instruction; with a pointer to its function where it has one."""
    length, place = children
    held = struct.pack("<QQIBBBBH6x", length, place, number, bool(function), relation, kind, bool(function), 0)
    return held + (struct.pack("<Q", function) if function else b"")


def meta(*, version=4, scope=1, twice=False):
    """meta.db: entry 1; main 2 with line 3; solve 4 with loop 5 (line 6) and line 7; MPI_Wait 8 with line 9."""
    out = Placed(0x90)
    strings = out.text("main thread")
    names = [out.text(name) for name in FRAMES]
    sections = {"strings": (strings, out.end())}
    functions = out.put(bytes(14))
    specified = [out.put(struct.pack("<QQQQII", name, 0, 0, 0, 0, 0)) for name in names]
    out.fill(functions, struct.pack("<QIH", specified[0], len(specified), 40))
    sections["functions"] = functions, out.end()

    general = out.put(bytes(16))
    out.fill(general, struct.pack("<QQ", out.text("app"), out.text("a run")))
    sections["general"] = general, out.end()

    identifiers = out.put(bytes(9))
    kinds = [out.text(name) for name in ("SUMMARY", "NODE", "RANK", "THREAD")]
    out.fill(identifiers, struct.pack("<QB", out.put(struct.pack("<4Q", *kinds)), 4))
    sections["identifiers"] = identifiers, out.end()

    metrics = out.put(bytes(0x1B))
    scopes = [(out.text("execution"), 2), (out.text("point"), scope)]
    scopes = [out.put(struct.pack("<QBB6x", *held, 0)) for held in scopes]
    instances = [out.put(struct.pack("<QH6xQH6x", scopes[0], 2 * place, scopes[1], 2 * place + 1)) for place in (0, 1)]
    described = [(out.text("CPUTIME (sec)"), instances[0]), (out.text("cycles"), instances[1])]
    listed = out.put(b"".join(struct.pack("<QQQHH4x", *held, 0, 2, 0) for held in described))
    out.fill(metrics, struct.pack("<QIBBB1xQHB", listed, 2, 32, 16, 24, scopes[0], 2, 16))
    sections["metrics"] = metrics, out.end()

    def children(*held):
        data = b"".join(held)
        return len(data), out.put(data)

    tree = out.put(bytes(11))
    wait = context(8, kind=0, relation=1, function=specified[2], children=children(context(9, kind=2)))
    loop = context(5, kind=1, children=children(context(6, kind=2)))
    below = children(loop, context(4 if twice else 7, kind=2), wait)
    solve = context(4, kind=0, relation=1, function=specified[1], children=below)
    main = context(2, kind=0, relation=1, function=specified[0], children=children(context(3, kind=2), solve))
    length, place = children(main)
    entry = out.put(struct.pack("<QQIH2xQ", length, place, 1, 1, strings))
    out.fill(tree, struct.pack("<QHB", entry, 1, 32))
    sections["tree"] = tree, out.end()

    order = ("general", "identifiers", "metrics", "tree", "strings", "", "", "functions")
    places = [sections.get(name, (0, 0)) for name in order]
    head = b"HPCTOOLKIT" + b"meta" + bytes([version, 0])
    head += b"".join(struct.pack("<QQ", end - begin, begin) for begin, end in places)
    return head + out.data + b"\0" * 4 + b"_meta.db"


def profile(ranks):
    """profile.db of {(rank, thread): (main, loop, rest, MPI_Wait)}: s of CPUTIME at lines 3, 6, 7, 9."""
    out = Placed(0x30)
    tuples, blocks = [], [(0, 0, 0, 0, 0, 1)]  # the summary of all threads
    for (rank, thread), values in ranks.items():
        tuples.append(struct.pack("<H6xBxHIQBxHIQ", 2, 2, 0, rank, rank, 3, 0, thread, thread))
        held = [(number, value) for number, value in zip((3, 6, 7, 9), values, strict=True) if value]
        pairs = b"".join(struct.pack("<HdHdHd", 0, 99.0, 1, value, 3, 1e9 * value) for _, value in held)
        # The whole of the run stands first, in no context; it is no value of a path.
        whole = struct.pack("<Hd", 0, 99.0)
        index = struct.pack("<IQ", 0, 0) + b"".join(
            struct.pack("<IQ", number, 1 + 3 * place) for place, (number, _) in enumerate(held)
        )
        at = out.put(whole + pairs)
        blocks.append((1 + 3 * len(held), at, 1 + len(held), out.put(index), len(tuples) - 1, 0))
    identifiers = [out.put(held) for held in tuples]
    end = len(out.data) + -len(out.data) % 8 + 0x30
    listed = b"".join(
        struct.pack("<QQI4xQQI4x", values, at, contexts, index, 0 if flag else identifiers[of], flag)
        for values, at, contexts, index, of, flag in blocks
    )
    info = out.put(struct.pack("<QIB3x", end + 16, len(blocks), 48) + listed)
    tuple_section = (identifiers[-1] + len(tuples[-1]) - identifiers[0], identifiers[0])
    head = b"HPCTOOLKIT" + b"prof" + bytes([4, 0]) + struct.pack("<4Q", 16 + len(listed), info, *tuple_section)
    return head + out.data + b"\0" * 3 + b"_prof.db"


def database(folder, ranks, **changes):
    """Write meta.db and profile.db."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meta.db").write_bytes(meta(**changes))
    (folder / "profile.db").write_bytes(profile(ranks))
    return folder
