"""Surtitle's wire protocol, surtitle.v1, for asyncio; takes the package websockets (python3-websockets).

    async with surtitle.open_stream("http://127.0.0.1:8765/", source="de", target="en", channel="main") as stream:
        await stream.source("Guten Morgen.")
        await stream.finish()
        async for message in stream:
            if message["type"] == "write":
                print(message["text"], end="")

    async for message in surtitle.watch("http://127.0.0.1:8765/", "main"):
        if message["type"] == "sentence":
            print(message["target"])

Messages are the protocol's, as dictionaries; types that a newer server invents come like all others. An address is
that of the daemon's page, with whatever folder is before it. Nothing here may be used from several threads.

Where a connection is cut, streams and viewers come back by themselves; where the daemon keeps a journal, nothing is lost
and nothing told twice then. A daemon that is told to go down for good finishes its streams first: such a stream ends with
SurtitleError.
"""

import asyncio
import contextlib
import json
import urllib.parse

from surtitle_unacked import ChannelPosition
from surtitle_stream import Stream
from surtitle_wire import UNREACHABLE, SurtitleError, connect, failure, backoff_delay

__all__ = ["Stream", "SurtitleError", "open_stream", "backoff_delay", "watch"]


@contextlib.asynccontextmanager
async def open_stream(address, *, source, target, token=None, on_connection=lambda phase: None, **start):
    """A sender's stream as a context; `start`: model, policy, channel, attention, as in the protocol.

    `token`: where the daemon asks for one. `on_connection` is told as by watch(). Raises SurtitleError where the daemon
    refuses or is not there. Left before finish(), what is open is not translated to its end.
    """
    stream = Stream(lambda: connect(address, "v1/stream", token), on_connection)
    try:
        await stream._open({"type": "start", "source": source, "target": target, **start})
        yield stream
    finally:
        await stream._close()


async def watch(address, channel, *, track=None, attention=False, token=None, on_connection=lambda phase: None):
    """A channel's messages, for ever: a lost connection is opened again, later each time until the server is ready.

    `track`: one of `ready`'s tracks; without it all of them come. `attention`: whether its messages come, too, where the
    sender asked for them. `on_connection` is told "connecting", "open" and "waiting". After a cut the server tells what
    was missed, and its `ready` has `after`; where it cannot, it begins anew and tells the last sentences again. Raises
    SurtitleError where the daemon does not let this `token` in.
    """
    attempt, place = 0, ChannelPosition()
    while True:
        on_connection("connecting")
        wishes = {"track": track, "attention": "1" if attention else None, "after": place.after}
        query = urllib.parse.urlencode({name: value for name, value in wishes.items() if value})
        try:
            async with connect(address, f"v1/channels/{urllib.parse.quote(channel, safe='')}?{query}", token) as connection:
                async for frame in connection:
                    message = json.loads(frame)
                    place.follow(message)
                    if message["type"] == "ready":
                        attempt = 0
                        on_connection("open")
                    yield message
        except UNREACHABLE as error:
            if failure(error).code != "connection-lost":
                raise failure(error) from error
        on_connection("waiting")
        await asyncio.sleep(backoff_delay(attempt))
        attempt += 1
