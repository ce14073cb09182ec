"""Cube containers, written from what the format says; no code of a reader is used."""

import io
import struct
import tarfile
import zlib

ANCHOR = """<?xml version="1.0" encoding="UTF-8"?>
<cube version="4.4"><attr key="Creator" value="by hand"/><metrics>{metrics}</metrics><program>
<region id="0" begin="-1" end="-1" mod=""><name>main</name><mangled_name/><paradigm/><role/><url/><descr/></region>
<region id="1" begin="-1" end="-1" mod=""><name>solve</name><mangled_name/><paradigm/><role/><url/><descr/></region>
<region id="2" begin="-1" end="-1" mod=""><name>MPI_Wait</name><mangled_name/><paradigm/><role/><url/><descr/></region>
<cnode id="0" calleeId="0"><cnode id="1" calleeId="1"><cnode id="2" calleeId="2"/></cnode>{more}</cnode>
</program><system><systemtreenode Id="0" class="machine"><name>m</name>{groups}</systemtreenode></system></cube>"""
METRIC = """<metric id="{number}" type="{kind}">
<disp_name>{name}</disp_name><uniq_name>{name}</uniq_name><dtype>{dtype}</dtype>
<uom>{unit}</uom><url/><descr/></metric>"""
GROUP = """<locationgroup Id="{number}">
<name>rank {number}</name><rank>{number}</rank><type>process</type>{locations}</locationgroup>"""
LOCATION = """<location Id="{number}"><name>t</name><rank>0</rank><type>thread</type></location>"""


def container(path, metrics, *, threads=(1, 1), more=0, packed=False):
    """Write metrics {name: (kind, dtype, unit, {call path: values of the locations})} of ranks with threads."""
    groups, place = "", 0
    for rank, count in enumerate(threads):
        groups += GROUP.format(
            number=rank, locations="".join(LOCATION.format(number=place + thread) for thread in range(count))
        )
        place += count
    described = "".join(
        METRIC.format(number=number, kind=kind, name=name, dtype=dtype, unit=unit)
        for number, (name, (kind, dtype, unit, _)) in enumerate(metrics.items())
    )
    nodes = "".join(f'<cnode id="{3 + number}" calleeId="1"/>' for number in range(more))
    files = {"anchor.xml": ANCHOR.format(metrics=described, groups=groups, more=nodes).encode()}
    for number, (_, dtype, _, values) in enumerate(metrics.values()):
        letter = {"DOUBLE": "d", "UINT64": "Q"}[dtype]
        header = b"CUBEX.INDEX" + struct.pack("<ihb", 1, 0, 1)
        files[f"{number}.index"] = header + struct.pack(f"<i{len(values)}i", len(values), *values)
        raw = b"".join(struct.pack(f"<{place}{letter}", *row) for row in values.values())
        files[f"{number}.data"] = b"CUBEX.DATA" + raw
        if packed:
            held = zlib.compress(raw)
            files[f"{number}.data"] = b"ZCUBEX.DATA" + struct.pack("<4q", 1, 0, 0, len(held)) + held
    with tarfile.open(path, "w") as out:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return path
