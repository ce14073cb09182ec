"""The document of a variant: what `Study.with_` takes, as a program or a form writes it, and its JSON Schema."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from dse.authoring.document_schema import JsonSchema, document_schema
from dse.study.file.schema import PART_NUMBER, Number, QuantityName

__all__ = ["VariantSpec", "variant_schema"]

SetName = QuantityName | Annotated[str, Field(pattern=f"^{PART_NUMBER}$")]
LeftOut = str | int | float | bool


class VariantSpec(BaseModel):
    """What a variant of a study changes; ``study.with_(**document)`` is the variant."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    set: dict[SetName, Number] = {}
    where: list[str] = []
    also: list[QuantityName] = []
    minimize: list[QuantityName] = []
    maximize: list[QuantityName] = []
    without: dict[str, LeftOut | list[LeftOut]] = {}
    uncertain: dict[QuantityName, str] = {}
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+=,-]{0,79}$")] | None = None


_KEYS = {
    "VariantSpec": {
        "set": "An axis to its one value, a parameter or an assumption: { nodes = 1024, frequency = '2.6 GHz' }; or a "
        "number of one part: { 'node_price[small]' = '12 kUSD' }.",
        "where": "Further limits: 'power <= 20 MW'.",
        "also": "Further quantities to show.",
        "minimize": "Objectives instead of those of the study.",
        "maximize": "Objectives instead of those of the study.",
        "without": "What is left out, of an axis, a choice, 'alternative' or 'limit': { nodes = [64, 128] }.",
        "uncertain": "What is not known of quantities: { nic_power = 'within 10 %' }; 'error 5 %', 'none'.",
        "name": "The name of the variant; without it, its changes in short.",
    }
}


def variant_schema() -> JsonSchema:
    """Return the JSON Schema (draft 7) of a variant."""
    return document_schema(VariantSpec, "A variant of a study of dse", _KEYS)
