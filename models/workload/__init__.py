"""Workload profiles: what a program asks of any machine, measured once and independent of hardware."""

from dse.models.workload.profile.profile import ProcessClass, WorkloadProfile

__all__ = ["ProcessClass", "WorkloadProfile"]
