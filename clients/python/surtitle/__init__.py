"""Client of Surtitle's wire protocol, surtitle.v1, for asyncio.

It needs the package websockets. README.md describes the installation.

    async with surtitle.open_stream("http://127.0.0.1:8765/", source="de", target="en", channel="main") as stream:
        await stream.source("Guten Morgen.")
        await stream.finish()
        async for message in stream:
            if message["type"] == "write":
                print(message["text"], end="")

    async for message in surtitle.watch("http://127.0.0.1:8765/", "main"):
        if message["type"] == "sentence":
            print(message["target"])

Messages are those of the protocol, as dictionaries, including types that are newer than this client. An address is that
of the daemon's page, with its path prefix if it has one.

If a connection is lost, streams and viewers reconnect. If the daemon keeps a journal, they then lose no message and
receive none twice. A daemon that shuts down for good finishes its streams first; such a stream ends with SurtitleError.

Thread-safety: none; all calls belong to one thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.parse
from typing import Any, AsyncIterator, Callable, Optional

from .unacked import ChannelPosition
from .stream import Stream
from .wire import UNREACHABLE, Message, SurtitleError, connect, failure, backoff_delay

__all__ = ["ChannelState", "Message", "Stream", "SurtitleError", "open_stream", "backoff_delay", "watch"]


class ChannelState:
    """What a page shows of a channel beside its words, from the messages of watch().

    `live`: the channel has a stream. `interrupted`: the stream has lost its sender and waits for it; the value is the
    time in seconds that it still waited when this was reported, or None. `title`, `speaker`: free text, "" if none.
    """

    def __init__(self) -> None:
        self.live = False
        self.interrupted: Optional[float] = None
        self.title = ""
        self.speaker = ""

    def follow(self, message: Message) -> None:
        if message["type"] in ("ready", "state"):
            self.live = "stream" in message
        if message["type"] in ("ready", "state", "interruption"):
            self.interrupted = message.get("interrupted")
        if message["type"] in ("ready", "state", "heading"):
            self.title, self.speaker = message.get("title", ""), message.get("speaker", "")


@contextlib.asynccontextmanager
async def open_stream(
    address: str, *, source: str, target: str, token: Optional[str] = None,
    on_connection: Callable[[str], object] = lambda phase: None, **start: Any,
) -> AsyncIterator[Stream]:
    """A sender's stream as a context. `start`: model, policy, channel, title and others, as in the
    protocol.

    `token` is needed if the daemon requires one. `on_connection` is called as in watch(). Raises SurtitleError if the
    daemon rejects the stream or cannot be reached. If the context ends before finish(), the open sentence is not
    translated to its end.
    """
    stream = Stream(lambda: connect(address, "v1/stream", token), on_connection)
    try:
        try:
            await stream._open({"type": "start", "source": source, "target": target, **start})
        except UNREACHABLE as error:
            raise await failure(error, address, "v1/stream", token) from error
        yield stream
    finally:
        await stream._close()


async def watch(
    address: str, channel: str, *, track: Optional[str] = None, attention: bool = False, token: Optional[str] = None,
    on_connection: Callable[[str], object] = lambda phase: None,
) -> AsyncIterator[Message]:
    """Yields a channel's messages without end. It reconnects after a loss, with pauses that grow until `ready`.

    `track`: one of the tracks in `ready`; without it, all tracks are received. `attention`: also receives these
    messages, if the sender requested them. `on_connection` is called with "connecting", "open" and "waiting". After a
    loss the server sends the missed messages, and its `ready` has `after`. If it cannot, it starts from the present
    state and sends the last sentences again. A ChannelState follows what a page shows beside the words. If the daemon limits
    connections, the next attempt follows after the time that it names. Raises SurtitleError if the daemon rejects `token`.
    """
    attempt, position = 0, ChannelPosition()
    while True:
        on_connection("connecting")
        options = {"track": track, "attention": "1" if attention else None, "after": position.after}
        query = urllib.parse.urlencode({name: value for name, value in options.items() if value})
        path = f"v1/channels/{urllib.parse.quote(channel, safe='')}?{query}"
        least = 0.0  # seconds until the next attempt
        try:
            async with connect(address, path, token) as connection:
                async for frame in connection:
                    message = json.loads(frame)
                    position.follow(message)
                    if message["type"] == "ready":
                        attempt = 0
                        on_connection("open")
                    yield message
        except UNREACHABLE as error:
            reason = await failure(error, address, path, token)
            if reason.code not in ("connection-lost", "rate-limited"):
                raise reason from error
            least = reason.retry_seconds or 0
        on_connection("waiting")
        await asyncio.sleep(max(least, backoff_delay(attempt)))
        attempt += 1
