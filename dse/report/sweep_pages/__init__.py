"""The pages and figures of sweeps, attainable curves and maps of winners."""
