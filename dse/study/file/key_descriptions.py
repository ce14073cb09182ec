"""What each key of a study is, in a sentence: what an editor shows beside it."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["KEYS"]

_AXES = "Axes by name: what is varied."
_SET = "Parameters and assumptions with one value each, with their units."
_USE = "Which component fills a slot: network = 'torus'."
_TABLES = "Tables by name: measurements and catalogues that models read."

KEYS: Mapping[str, Mapping[str, str]] = {
    "AxisSpec": {
        "values": 'The values themselves: [1, 2, 4], ["1.2 GHz", "2.6 GHz"].',
        "range": "First and last value, of every whole number or by `step`: [1, 8].",
        "step": "Distance of the values of `range`.",
        "powers_of_two": "First and last power of two: [1, 256].",
        "linspace": 'First value, last value, and how many: ["1 GHz", "3 GHz", 21].',
        "part": "A catalogue (CSV), each row of which brings the quantities of its columns.",
        "where": "Which rows of `part`: { process = '7 nm' }.",
        "label": "The column of `part` that names its rows.",
        "enumerate": "An enumeration whose rows are the values: 'network.torus'.",
        "given": "What the enumeration is asked for: { nodes = [1024], radix = 64 }.",
        "unit": "The unit of plain numbers: 'GHz'.",
        "only": "The rows that stay, by label or value.",
        "without": "The rows that are left out, by label or value.",
        "set": "Other numbers than the catalogue's, by column and row: { node_price = { small = '12 kUSD' } }.",
        "join": "Another catalogue whose rows a column of `part` names: { device = 'machines/devices.csv' }.",
    },
    "ObjectiveSpec": {
        "minimize": "A quantity, the less the better.",
        "maximize": "A quantity, the more the better.",
    },
    "QuantitySpec": {
        "expression": "How it is computed from others: 'energy / nodes'.",
        "signed": "It may be negative.",
    },
    "TableSpec": {
        "file": "A CSV file beside the study, or one that comes with dse.",
        "where": "Which of its rows: { system = 'xeon' }.",
        "synthetic": "Whether its numbers are made up.",
    },
    "AlternativeSpec": {
        "description": "What it is, for people.",
        "axes": _AXES,
        "set": _SET,
        "use": _USE,
        "tables": _TABLES,
    },
    "ReferenceSpec": {
        "description": "What it is, for people.",
        "axes": "Systems by their parts: an axis with `part` makes one of each row.",
        "set": _SET,
        "use": _USE,
        "tables": _TABLES,
        "measured": "Columns that hold measured figures, by the quantity they are of.",
        "classes": "Classes of systems, and which designs are of each: held against the frontier of every run.",
        "like": "Quantities in which a design is like a system.",
        "law_error": "The quantity that holds how far the law of its part may be off: standard error of the logarithm.",
        "system_error": "The quantity that holds how far one system is from others like it, as `law_error`.",
        "left_out": "By law: what it gives without the system over what was measured, and in standard errors.",
        "doubted": "The quantity that is 1 of systems whose figures are doubted.",
    },
    "LeftOutSpec": {
        "ratio": "The quantity that holds what the law gives over what was measured.",
        "errors": "The quantity that holds the difference of their logarithms in standard errors.",
    },
    "ClassSpec": {
        "quantity": "What tells systems of the class from others.",
        "least": "The least of it, in the class.",
        "most": "The most of it, in the class.",
        "of": "Members of choices whose designs are of the class: { node = ['accelerated'] }.",
    },
    "MemberSpec": {"description": "What it is, for people.", "set": _SET, "tables": _TABLES},
    "SpaceSpec": {
        "axes": "Axes that every design has, by name.",
        "alternatives": "Kinds of designs, each with its own axes and values.",
        "choices": "Choices by name, with their members; the alternatives are their product.",
        "exclude": "Combinations of choices that are none: \"node == 'a' and network == 'b'\".",
        "split": "Quantities of axes by whose values each alternative is taken apart.",
    },
    "SearchSpec": {
        "method": "How to search; 'auto' takes the cheapest exact one.",
        "evaluations": "How many designs 'evolve' looks at.",
        "jobs": "Processes; 0: one for each core.",
        "count_infeasible": "Count exactly how many designs break each constraint.",
        "seed": "Of what is drawn at random.",
        "tolerance": "How far a design may be beaten and stay out: '1 %', or by objective.",
        "budget": "When to stop: '10 s'.",
    },
    "PickSpec": {
        "minimize": "The design with the least of it.",
        "maximize": "The design with the most of it.",
        "knee": "The design that gives up least of every objective.",
        "weights": "The best sum of objectives, each scaled to its span.",
        "order": "The first objective decides, then the next.",
        "within": "How far from the best of an objective of `order` is good enough.",
        "where": "Limits that the design meets: 'power <= 20 MW'.",
    },
    "AnswerSpec": {"pick": "The design the answer begins with."},
    "UncertainSpec": {
        "within": "Half of the width around the value: '10 %'.",
        "from": "The least it may be.",
        "to": "The most it may be.",
        "error": "The relative error of what computes it: '15 %'.",
        "shared": "The share of the error that all designs have in common.",
        "each": "An axis each value of which has an error of its own.",
        "distribution": "How it is distributed between its ends, or around its value.",
        "source": "Where this is known from.",
    },
    "TrustSpec": {
        "draws": "How many draws of what is not known.",
        "seed": "Of the draws.",
        "cells": "Into how many cells the ranges are cut.",
        "meets": "The share of draws in which a design has to meet the limits.",
        "machines": "Take the errors of real machines where a study has none.",
    },
    "StudySpec": {
        "name": "The name of the study, and of the folder of its run.",
        "question": "What it asks, for people.",
        "source": "The paper or the person it comes from.",
        "models": "Models that come with dse (`dse models`), or .py files beside the study.",
        "constraints": "Conditions that every design meets: 'nodes * cores <= 256', 'power <= 20 MW'.",
        "also": "Further quantities to show.",
        "quantities": "Quantities of this study, by name: { energy_per_node = 'energy / nodes' }.",
        "objectives": "What is to be small or large, one to six quantities.",
        "use": _USE,
        "set": _SET,
        "tables": _TABLES,
        "space": "What is varied.",
        "index": "Members of index sets (workloads, classes of processes), each with its own values.",
        "references": "Systems that stand beside the space: real machines, the design of today.",
        "lift": "Requirements of models that do not hold here, by name.",
        "answer": "What the answer begins with.",
        "labels": "Words for people instead of names of quantities.",
        "search": "How to search.",
        "uncertain": "What is not known, by quantity.",
        "trust": "How to look at what is not known.",
    },
}
"""By model of `dse.study.file.schema` and key."""
