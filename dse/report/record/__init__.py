"""The record of a run's page: everything its plot, table and panel show, computed and encoded."""
