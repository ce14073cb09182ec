"""Nodes of an execution trace in protobuf (``.et``): messages one after the other, each behind its length.

The package protobuf reads them: it checks what a short reader of ours would have to, such as packed and single numbers,
texts and lengths inside lengths. The fields are those of ``et_def.proto`` of MLCommons Chakra that say something here.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from dse.errors import InputError

__all__ = ["NodeMessage", "is_message_file", "messages_of"]

_LARGEST = 1 << 26
_ATTRIBUTES = {
    3: ("double_val", "DOUBLE"),
    5: ("float_val", "FLOAT"),
    7: ("int32_val", "INT32"),
    9: ("int64_val", "INT64"),
    11: ("uint32_val", "UINT32"),
    13: ("uint64_val", "UINT64"),
    15: ("sint32_val", "SINT32"),
    17: ("sint64_val", "SINT64"),
    19: ("fixed32_val", "FIXED32"),
    21: ("fixed64_val", "FIXED64"),
    23: ("sfixed32_val", "SFIXED32"),
    25: ("sfixed64_val", "SFIXED64"),
    27: ("bool_val", "BOOL"),
    29: ("string_val", "STRING"),
}
_NODE = {1: ("id", "UINT64"), 2: ("name", "STRING"), 3: ("type", "INT32"), 7: ("duration_micros", "UINT64")}
_NEEDS = {4: "ctrl_deps", 5: "data_deps"}


class NodeMessage(NamedTuple):
    """A node as it stands in the file.

    Attributes
    ----------
    number : int
    name : str
    type : int
        Of the enumeration ``NodeType``.
    needs : tuple of int
        By data, then by control.
    micros : int
        0 where it is not given: the format makes no difference.
    attributes : dict of str to int, float, bool or str
    """

    number: int
    name: str
    type: int
    needs: tuple[int, ...]
    micros: int
    attributes: dict[str, Any]


def is_message_file(name: str, data: bytes) -> bool:
    """Return whether a file is an execution trace in protobuf: by the name of its schema, or it ends in ``.et``."""
    if data.lstrip()[:1] in (b"{", b"["):
        return False
    return name.casefold().endswith(".et") or (b"\x0a\x06schema" in data[:32] and b"chakra" in data[:64])


def messages_of(path: Path) -> Iterator[NodeMessage]:
    """Yield the nodes of a file, plain or compressed by gzip; the first message is of the whole trace, and left out.

    Raises
    ------
    InputError
        A length or a message that the file has not, or that is no node; protobuf not installed.
    """
    node = _node_class()
    try:
        with _opened(path) as file:
            for place, data in enumerate(_parts(file)):
                if place:
                    yield _read(node, data, place - 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"is cut, or not compressed: {error}") from None


def _opened(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


def _parts(file: IO[bytes]) -> Iterator[bytes]:
    while (length := _length(file)) is not None:
        if length > _LARGEST:
            raise InputError(f"a message of {length:,} bytes", allowed=f"at most {_LARGEST:,}")
        data = file.read(length)
        if len(data) < length:
            raise InputError(f"a message of {length:,} bytes has {len(data):,}: the file was cut")
        yield data


def _length(file: IO[bytes]) -> int | None:
    """Return the length before a message, seven bits a byte, or None at the end."""
    length = 0
    for shift in range(0, 35, 7):
        byte = file.read(1)
        if not byte:
            if shift:
                raise InputError("ends in the length of a message: the file was cut")
            return None
        length |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return length
    raise InputError("a length of more than five bytes", allowed="an execution trace in protobuf")


def _read(node: Any, data: bytes, place: int) -> NodeMessage:
    from google.protobuf.message import DecodeError

    message = node()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        raise InputError(f"is no node: {error}", key=f"node {place}", allowed="messages of et_def.proto") from None
    held = {entry.name: _value(entry) for entry in message.attr}
    needs = (*message.data_deps, *message.ctrl_deps)
    return NodeMessage(message.id, message.name, message.type, needs, message.duration_micros, held)


def _value(entry: Any) -> Any:
    kind = entry.WhichOneof("value")
    return None if kind is None else getattr(entry, kind)


@lru_cache(maxsize=1)
def _node_class() -> Any:
    """Return the class of a node, in a pool of its own: the program that calls may have made the same names."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    except ImportError:
        raise InputError(
            "an execution trace in protobuf needs the package protobuf, which is not installed",
            allowed="pip install 'dse-frontier[formats]'",
        ) from None
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="et_def.proto", package="ChakraProtoMsg", syntax="proto3")
    attribute = file.message_type.add(name="AttributeProto")
    attribute.field.add(name="name", number=1, type=kinds.TYPE_STRING, label=kinds.LABEL_OPTIONAL)
    attribute.oneof_decl.add(name="value")
    for number, (name, kind) in _ATTRIBUTES.items():
        of_kind = getattr(kinds, f"TYPE_{kind}")
        attribute.field.add(name=name, number=number, type=of_kind, label=kinds.LABEL_OPTIONAL, oneof_index=0)
    node = file.message_type.add(name="Node")
    for number, (name, kind) in _NODE.items():
        node.field.add(name=name, number=number, type=getattr(kinds, f"TYPE_{kind}"), label=kinds.LABEL_OPTIONAL)
    for number, name in _NEEDS.items():
        node.field.add(name=name, number=number, type=kinds.TYPE_UINT64, label=kinds.LABEL_REPEATED)
    listed = {"type": kinds.TYPE_MESSAGE, "type_name": ".ChakraProtoMsg.AttributeProto", "label": kinds.LABEL_REPEATED}
    node.field.add(name="attr", number=10, **listed)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("ChakraProtoMsg.Node"))
