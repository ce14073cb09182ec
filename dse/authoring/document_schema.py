"""JSON Schemas of documents that people write, made from the pydantic models that read them, for editors and programs.

In draft 7, which every language server of TOML knows. No fault of a document is hidden in an alternative of unions: a
value that may be a number or a text is of one schema with two types, so that a message speaks of the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

__all__ = ["DIALECT", "JsonSchema", "document_schema", "with_reference"]

JsonSchema: TypeAlias = dict[str, Any]
DIALECT = "http://json-schema.org/draft-07/schema#"


def document_schema(
    model: type[BaseModel],
    title: str,
    words: Mapping[str, Mapping[str, str]],
    rules: Mapping[str, JsonSchema] | None = None,
) -> JsonSchema:
    """Return the JSON Schema of a document.

    Parameters
    ----------
    model : type of BaseModel
    title : str
        What the document is.
    words : mapping
        What each key is, by the name of its model and the key.
    rules : mapping, optional
        What a model demands beside its fields (one of two keys), by its name.
    """
    schema = model.model_json_schema(ref_template="#/definitions/{model}", schema_generator=_DraftSeven)
    parts = {**schema.pop("$defs", {}), model.__name__: schema}
    for name, part in parts.items():
        for key, described in part.get("properties", {}).items():
            if key in words.get(name, {}):
                part["properties"][key] = {"description": words[name][key]} | described
        part |= (rules or {}).get(name, {})
        part.pop("title", None)
    parts = {name: _plain(part) for name, part in parts.items()}
    return {"$schema": DIALECT, "title": title, **parts.pop(model.__name__), "definitions": parts}


def with_reference(name: str, **beside: Any) -> JsonSchema:
    """Return a schema that refers to a definition. In draft 7 nothing counts that stands right beside a reference."""
    return {**beside, "allOf": [{"$ref": f"#/definitions/{name}"}]}


class _DraftSeven(GenerateJsonSchema):
    schema_dialect = DIALECT

    def field_title_should_be_set(self, schema: object) -> bool:
        return False

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        """Return a list of a fixed length: each of its items is like one of those of the tuple."""
        items = [self.generate_inner(item) for item in schema["items_schema"]]
        kinds = [item for place, item in enumerate(items) if item not in items[:place]]
        each = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        return {"type": "array", "items": each, "minItems": len(items), "maxItems": len(items)}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        keys: CoreSchema | None = schema.get("keys_schema")
        names = self.generate_inner(keys) if keys is not None else {}
        names = {rule: names[rule] for rule in ("pattern", "maxLength") if rule in names}
        values = schema.get("values_schema")
        table: JsonSchemaValue = {"type": "object", "additionalProperties": True}
        if values is not None:
            table["additionalProperties"] = self.generate_inner(values) or True
        if names:
            table["propertyNames"] = names
        limits = {"minProperties": schema.get("min_length"), "maxProperties": schema.get("max_length")}
        return table | {rule: limit for rule, limit in limits.items() if limit is not None}


def _plain(schema: object) -> Any:
    """Return a schema without `null`, which TOML does not have, and without unions of plain types."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items()}
    if plain.get("default", 0) is None or isinstance(plain.get("default"), (dict, list)):
        del plain["default"]
    if "$ref" in plain:
        reference = plain.pop("$ref")
        plain = {**plain, "allOf": [{"$ref": reference}]} if plain else {"$ref": reference}
    members = [member for member in plain.get("anyOf", []) if member != {"type": "null"}]
    if members:
        del plain["anyOf"]
        if all(set(member) == {"type"} for member in members):
            types = [kind for member in members for kind in _types(member)]
            members = [{"type": list(dict.fromkeys(types))}]
        plain |= members[0] if len(members) == 1 else {"anyOf": members}
    return plain


def _types(schema: JsonSchema) -> list[str]:
    return [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
