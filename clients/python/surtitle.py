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
"""

import asyncio
import contextlib
import inspect
import json
import random
import urllib.parse

import websockets
import websockets.exceptions

SUBPROTOCOL = "surtitle.v1"
FIRST_WAIT = 0.5  # seconds
LONGEST_WAIT = 10.0
FRAME = 128  # bytes of a source message beside its words

REFUSALS = {401: "unauthorized", 403: "forbidden"}  # by status
UNREACHABLE = (OSError, asyncio.TimeoutError, websockets.exceptions.WebSocketException)


class SurtitleError(Exception):
    """What ended a stream; `code` is that of the protocol's `error`, or "unauthorized" or "connection-lost"."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def wait_before(attempt, share=None):
    """Seconds before a try: twice as long each time up to a limit, and drawn, so that not all come at once."""
    share = random.random() if share is None else share
    return min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempt, 16)) * (0.5 + share / 2)


def _connect(address, path, token):
    url = urllib.parse.urljoin(address.rstrip("/") + "/", path)
    if url.startswith("http"):
        url = "ws" + url[len("http"):]
    # A header, since addresses end up in logs; the package names it in one way before its version 14 and in another since.
    headers = {"Authorization": f"Bearer {token}"} if token else None
    known = inspect.signature(websockets.connect.__init__).parameters
    name = "additional_headers" if "additional_headers" in known else "extra_headers"
    return websockets.connect(url, subprotocols=[SUBPROTOCOL], max_size=None, **{name: headers})


def _failure(error):
    """What a connection that could not be opened means."""
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    if status in REFUSALS:
        return SurtitleError(REFUSALS[status], f"the daemon lets nobody in with this token: {error}")
    return SurtitleError("connection-lost", f"no connection to the daemon: {error}")


@contextlib.asynccontextmanager
async def open_stream(address, *, source, target, token=None, **start):
    """A sender's stream as a context; `start`: model, policy, channel, attention, as in the protocol.

    `token`: where the daemon asks for one. Raises SurtitleError where the daemon refuses or is not there. Left before
    finish(), what is open is not translated to its end. A stream does not come back by itself: the daemon forgets it with its connection.
    """
    try:
        connection = await _connect(address, "v1/stream", token)
    except UNREACHABLE as error:
        raise _failure(error) from error
    try:
        stream = Stream(connection)
        await stream._start({"type": "start", "source": source, "target": target, **start})
        yield stream
    finally:
        await connection.close()


class Stream:
    """Sends source and iterates over the server's messages, to the end of the stream.

    Somebody must iterate while words are sent: a daemon that is not listened to ends the stream with `slow`.
    """

    def __init__(self, connection):
        self.ready = None  # the server's `ready`: stream, model, policy, warnings, limits
        self._connection = connection
        self._seq = 0
        self._error = SurtitleError("connection-lost", "the connection to the daemon was lost")

    @property
    def limits(self):
        return self.ready["limits"]

    async def source(self, text, time=None):
        """Complete words, in as many messages as the limits want; `time`: seconds on the source's own clock.

        Raises ValueError, and sends nothing, for a word that no message can hold.
        """
        for portion in self._portions(text.split()):
            self._seq += 1
            await self.send({"type": "source", "seq": self._seq, "text": portion, "time": time})

    async def hypothesis(self, text, final=False):
        """A recogniser's whole text since its last final one."""
        await self.send({"type": "hypothesis", "text": text, "final": final})

    async def end_sentence(self):
        await self.send({"type": "end_sentence"})

    async def finish(self):
        """No more source; iterate on for what is still being translated."""
        await self.send({"type": "finish"})

    async def __aiter__(self):
        """Messages until the daemon has said goodbye. Raises SurtitleError where that is not the end of finish()."""
        try:
            async for frame in self._connection:
                message = json.loads(frame)
                yield message
                if message["type"] == "error":
                    self._error = SurtitleError(message["code"], message["message"])
                elif message["type"] == "bye" and message["reason"] == "finished":
                    return
        except websockets.exceptions.ConnectionClosed:
            pass
        raise self._error

    async def _start(self, start):
        await self.send(start)
        async for message in self:
            if message["type"] == "ready":
                self.ready = message
                return

    async def send(self, message):
        """Any message of the protocol."""
        try:
            await self._connection.send(json.dumps(message, ensure_ascii=False))
        except websockets.exceptions.ConnectionClosed:
            raise self._error from None

    def _portions(self, words):
        most, portions, room = self.limits["message_bytes"], [], 0
        for word in words:
            size = len(json.dumps(word, ensure_ascii=False).encode()) + 1
            if FRAME + size > most:
                raise ValueError(f"a word is longer than a message, which has {most} bytes")
            if size > room or len(portions[-1]) == self.limits["queued_words"]:
                portions.append([])
                room = most - FRAME
            portions[-1].append(word)
            room -= size
        return [" ".join(portion) for portion in portions]


async def watch(address, channel, *, track=None, attention=False, token=None, on_connection=lambda phase: None):
    """A channel's messages, for ever: a lost connection is opened again, later each time until the server is ready.

    `track`: one of `ready`'s tracks; without it all of them come. `attention`: whether its messages come, too, where the
    sender asked for them. `on_connection` is told "connecting", "open" and
    "waiting". After a reconnection the server tells the last sentences again. Raises SurtitleError where the daemon does not
    let this `token` in.
    """
    path = f"v1/channels/{urllib.parse.quote(channel, safe='')}"
    wishes = {"track": track, "attention": "1" if attention else None}
    path += "?" + urllib.parse.urlencode({name: value for name, value in wishes.items() if value})
    attempt = 0
    while True:
        on_connection("connecting")
        try:
            async with _connect(address, path, token) as connection:
                async for frame in connection:
                    message = json.loads(frame)
                    if message["type"] == "ready":
                        attempt = 0
                        on_connection("open")
                    yield message
        except UNREACHABLE as error:
            if _failure(error).code != "connection-lost":
                raise _failure(error) from error
        on_connection("waiting")
        await asyncio.sleep(wait_before(attempt))
        attempt += 1
