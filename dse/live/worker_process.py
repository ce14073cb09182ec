"""A process that does jobs for the server: what it is asked for comes on its input, line by line, and ends with it.

Its input is its life line: when the server is gone, however it went, the line ends, and so does this process at once;
workers of its searches die with it. What models print goes to its error stream, so that it is taken for no answer.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
from queue import SimpleQueue

from dse.live.asked import Event, job_of
from dse.live.jobs import do

__all__ = ["main"]

_LONGEST = 1 << 22


def main() -> None:
    """Do jobs until the input ends. The first argument is how many bytes of memory there are for it, 0: all."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    limited(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    lines: SimpleQueue[bytes] = SimpleQueue()
    # A fork of the search takes no lock of a thread of this name (`dse.search.schedule.forks`): it waits for the pipe.
    threading.Thread(target=_listen, args=(lines,), name="dse-life-line", daemon=True).start()

    def say(event: Event) -> None:
        answers.write(json.dumps(event, allow_nan=False) + "\n")
        answers.flush()

    say({"event": "ready"})
    while True:
        try:
            do(job_of(lines.get()), say)
        except KeyboardInterrupt:  # asked to stop between two jobs, or by the second time: there is nothing to keep
            say({"event": "refused", "error": {"message": "stopped before anything was found"}})


def limited(memory: int) -> None:
    """Let this process and each that it begins have so many bytes for data, where the system can limit that."""
    if memory <= 0:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _listen(lines: SimpleQueue[bytes]) -> None:
    """Pass lines on; end the process when there can be no more."""
    begun = b""
    while True:
        part = os.read(0, _LONGEST)
        if not part:
            os._exit(1)
        *whole, begun = (begun + part).split(b"\n")
        for line in whole:
            lines.put(line)


if __name__ == "__main__":
    main()
