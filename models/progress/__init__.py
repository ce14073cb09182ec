"""Progress of one-sided messages: what they wait for until their target makes progress, and who makes it.

In Python, `read_calls` and `waits` give what a record of calls waited (Hermanns et al. 2012), `expected_wait` the mean
wait of a model of ours, `least_wait_share` from when on a core for progress pays. In a study, ``models = ["network",
"system", "progress"]`` and ``use.progress`` = ``none``, ``core``, ``doubled`` or ``interrupt`` add it to the time.
"""

from dse.authoring.declare.declaration import declarations
from dse.models.progress import alternatives
from dse.models.progress.call_record import CallRecord, read_calls, record_of_rows, waits
from dse.models.progress.expected_wait import expected_wait, least_wait_share

__all__ = ["CallRecord", "expected_wait", "least_wait_share", "read_calls", "record_of_rows", "waits"]

globals().update(declarations(alternatives))
