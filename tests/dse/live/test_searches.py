"""What listeners of a search are told: who is slow misses steps, never the end."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from dse.live.asked import AskSearch
from dse.live.searches import Search


def told(text):
    return json.loads(text.removeprefix("data: "))["status"]


@pytest.mark.parametrize("steps", [["stopped"], ["searches", "done"], ["searches"]])
def test_what_changes_while_a_listener_reads_is_told_at_once(steps):
    async def listened():
        search = Search(AskSearch(study="s", folder="runs"), "tab")
        search.tell(status="stops")
        states = search.listen()
        first = await anext(states)
        for status in steps:
            search.tell(status=status)
        async with asyncio.timeout(5):  # a heartbeat takes ten seconds
            after = await anext(states)
        if search.ended:
            assert [state async for state in states] == []
        return told(first), told(after)

    with ThreadPoolExecutor(1) as pool:  # a driver of a browser may have a loop in this thread
        assert pool.submit(asyncio.run, listened()).result() == ("stops", steps[-1])
