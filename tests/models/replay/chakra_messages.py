"""Execution traces of Chakra in protobuf, written by the library from the schema; no code of the reader is used."""

from functools import lru_cache

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto
SCALARS = "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes"
NODE_TYPES = "INVALID METADATA MEM_LOAD MEM_STORE COMP COMM_SEND COMM_RECV COMM_COLL STORAGE BATCH CHECKPOINT"


@lru_cache(maxsize=1)
def schema():
    """The messages of et_def.proto (Chakra 0.0.4): those of attributes, metadata and nodes, whole."""
    file = descriptor_pb2.FileDescriptorProto(name="written.proto", package="ChakraProtoMsg", syntax="proto3")
    enum = file.enum_type.add(name="NodeType")
    for number, name in enumerate(NODE_TYPES.split()):
        enum.value.add(name=f"{name}_NODE", number=number)

    def add(message, name, number, kind, *, repeated=False, type_name="", **more):
        label = FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL
        field = message.field.add(name=name, number=number, label=label, type=getattr(FIELD, f"TYPE_{kind.upper()}"))
        if type_name:
            field.type_name = f".ChakraProtoMsg.{type_name}"
        for key, value in more.items():
            setattr(field, key, value)

    attribute = file.message_type.add(name="AttributeProto")
    add(attribute, "name", 1, "string")
    add(attribute, "doc_string", 2, "string")
    attribute.oneof_decl.add(name="value")
    for place, kind in enumerate(SCALARS.split()):
        add(attribute, f"{kind}_val", 3 + 2 * place, kind, oneof_index=0)
        listed = file.message_type.add(name=f"{kind.capitalize()}List")
        add(listed, "values", 1, kind, repeated=True)
        add(attribute, f"{kind}_list", 4 + 2 * place, "message", type_name=listed.name, oneof_index=0)
    whole = file.message_type.add(name="GlobalMetadata")
    add(whole, "version", 1, "string")
    add(whole, "attr", 2, "message", repeated=True, type_name="AttributeProto")
    shapes = file.message_type.add(name="IOInfo")
    for place, name in enumerate(("values", "shapes", "types"), 1):
        add(shapes, name, place, "string")
    node = file.message_type.add(name="Node")
    add(node, "id", 1, "uint64")
    add(node, "name", 2, "string")
    add(node, "type", 3, "enum", type_name="NodeType")
    add(node, "ctrl_deps", 4, "uint64", repeated=True)
    add(node, "data_deps", 5, "uint64", repeated=True)
    add(node, "start_time_micros", 6, "uint64")
    add(node, "duration_micros", 7, "uint64")
    add(node, "inputs", 8, "message", type_name="IOInfo")
    add(node, "outputs", 9, "message", type_name="IOInfo")
    add(node, "attr", 10, "message", repeated=True, type_name="AttributeProto")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"ChakraProtoMsg.{name}"))
        for name in ("GlobalMetadata", "Node")
    }


def node(number, kind, *, needs=(), after=(), micros=0, **attributes):
    """A node whose attributes have the types that the converters of Chakra give them."""
    message = schema()["Node"](
        id=number, name=f"node {number}", data_deps=needs, ctrl_deps=after, duration_micros=micros, start_time_micros=9
    )
    message.type = NODE_TYPES.split().index(kind)
    message.inputs.shapes = "[[4]]"
    for name, value in attributes.items():
        field = {bool: "bool_val", int: "int64_val", float: "double_val", str: "string_val"}[type(value)]
        message.attr.add(name=name, **{field: value})
    message.attr.add(name="involved_dim").bool_list.values.extend([True, False])
    return message


def length(number):
    """A number as a varint."""
    held = b""
    while number > 0x7F:
        held += bytes([number & 0x7F | 0x80])
        number >>= 7
    return held + bytes([number])


def as_file(messages):
    """The bytes of a file: metadata, then nodes, each behind its length."""
    whole = schema()["GlobalMetadata"](version="0.0.4")
    whole.attr.add(name="schema", string_val="1.0.2-chakra.0.0.4")
    texts = [message.SerializeToString() for message in (whole, *messages)]
    return b"".join(length(len(text)) + text for text in texts)
