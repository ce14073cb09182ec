"""Evaluation: each piece of work once, on the smallest grid it depends on."""

from dse.evaluation.plan import Plan, make_plan
from dse.evaluation.probe import Structure, probe
from dse.evaluation.product import ProductEvaluator, flat_inputs

__all__ = ["Plan", "ProductEvaluator", "Structure", "flat_inputs", "make_plan", "probe"]
