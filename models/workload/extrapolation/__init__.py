"""Workload profiles at a scale nobody has run, from profiles of several small runs.

``profiles.extrapolate(profiles, target) -> Extrapolated``
    One law per metric of workload profiles (`dse.models.measured_laws.fitting`), and the profile they foretell.
``process_classes.cluster(profile, threshold) -> WorkloadProfile``
    Processes with alike profiles as one class each.
"""
