"""A sender's stream, which survives its connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any, AsyncIterator, Callable, Optional

from . import wire
from .unacked import UnackedQueue, split_for_limits
from .wire import UNREACHABLE, Message, SurtitleError, error_of, to_json, backoff_delay
from .words import split_words
from websockets.exceptions import ConnectionClosed

LATER = ("draining", "too-many-streams")  # errors of a resumption that is worth a retry
NOTICES = ("sentence-too-long", "not-configured")  # errors that do not end the stream


class Stream:
    """Sends source words and iterates over the server's messages, to the end of the stream.

    Iterate while words are sent. A daemon whose messages are not read ends the stream with `slow`. The iteration also
    reconnects after a loss, for as long as the daemon waits (`ready["resume"]["seconds"]`).
    """

    def __init__(self, connect: Callable[[], Any], on_connection: Callable[[str], object]) -> None:
        self.ready: Message = {}  # the server's `ready`: stream, model, policy, warnings, limits
        self._connect = connect
        self._on_connection = on_connection
        self._connection: Any = None
        self._unacked = UnackedQueue()
        self._acked = self._event = 0
        self._live = asyncio.Event()
        self._sending = asyncio.Lock()
        self._flushing: Optional[asyncio.Future[None]] = None
        self._ended = False
        self._error = SurtitleError("connection-lost", "the connection to the daemon was lost")

    @property
    def limits(self) -> Message:
        limits: Message = self.ready["limits"]
        return limits

    @property
    def sent_again(self) -> int:
        """The number of messages that were sent again after a loss."""
        return self._unacked.sent_again

    async def source(self, text: str, time: Optional[float] = None) -> None:
        """Sends complete words, in several messages if the limits require it.

        `time`: seconds on the source's own clock. If a word is too long for a message, raises ValueError and sends
        nothing.
        """
        for portion in split_for_limits(split_words(text), self.limits, lambda word: len(to_json(word).encode())):
            await self.send({"type": "source", "text": portion, "time": time})

    async def hypothesis(self, text: str, final: bool = False) -> None:
        """Sends a recogniser's whole text since its last final one."""
        await self.send({"type": "hypothesis", "text": text, "final": final})

    async def configure(self, **change: Any) -> None:
        """Changes model, policy or source_form from the next sentence on, or title and speaker at once."""
        await self.send({"type": "configure", **change})

    async def end_sentence(self) -> None:
        await self.send({"type": "end_sentence"})

    async def finish(self) -> None:
        """Ends the source. Continue to iterate, to receive the rest of the translation."""
        await self.send({"type": "finish"})

    async def send(self, message: Message) -> None:
        """Sends any message of the protocol. While disconnected, waits if more than queued_words words are queued."""
        while not self._live.is_set() and not self._ended and self._unacked.words > self.limits["queued_words"]:
            await self._live.wait()
        if self._ended:
            raise self._error
        numbered = ["source"] + ["hypothesis", "end_sentence"] * ("resume" in self.ready)
        self._unacked.add(message, message["type"] in numbered)
        await self._flush()

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yields messages up to the daemon's `bye`. Raises SurtitleError unless the stream ended through finish()."""
        while True:
            with contextlib.suppress(ConnectionClosed):
                async for frame in self._connection:
                    message = json.loads(frame)
                    self._notice(message)
                    yield message
                    if message["type"] == "bye" and message["reason"] == "finished":
                        return
            self._live.clear()
            if self._ended or "resume" not in self.ready:
                self._end()
                raise self._error
            yield await self._reconnect()

    def _notice(self, message: Message) -> None:
        self._event = message.get("event", self._event)
        if message["type"] == "ack":
            self._acked = message["seq"]
            self._unacked.ack(self._acked)
        elif message["type"] == "error" and message["code"] not in NOTICES:
            self._error = error_of(message)
            self._ended = True
        elif message["type"] == "bye":
            self._ended = True

    async def _open(self, start: Message) -> None:
        self._start = start
        self._connection = await self._connect()
        await self._connection.send(to_json(start))
        async for message in self:
            if message["type"] == "ready":
                self.ready = message
                self._live.set()
                return

    async def _reconnect(self) -> Message:
        until = time.monotonic() + self.ready["resume"]["seconds"]
        attempt = 0
        while (left := until - time.monotonic()) > 0:
            self._on_connection("waiting")
            await asyncio.sleep(min(left, backoff_delay(attempt)))
            attempt += 1
            self._on_connection("connecting")
            with contextlib.suppress(*UNREACHABLE):
                answer = await self._resume()
                if answer["type"] == "ready":
                    self._continue(answer)
                    return answer
                if answer["code"] not in LATER:
                    self._error = error_of(answer)
                    break
        self._end()
        raise self._error

    async def _resume(self) -> Message:
        self._connection = await self._connect()
        known = {"stream": self.ready["stream"], "key": self.ready["resume"]["key"]}
        resume = {**known, "seq": self._acked, "event": self._event}
        await self._connection.send(to_json({**self._start, "resume": resume}))
        answer: Message = json.loads(await asyncio.wait_for(self._connection.recv(), wire.SILENCE))
        return answer

    def _continue(self, ready: Message) -> None:
        self.ready = ready
        self._unacked.rewind(ready["resume"]["seq"])
        self._live.set()
        self._flushing = asyncio.ensure_future(self._flush())
        self._on_connection("open")

    async def _flush(self) -> None:
        async with self._sending:
            while self._live.is_set() and (message := self._unacked.next) is not None:
                self._unacked.sent()
                try:
                    await self._connection.send(to_json(message))
                except ConnectionClosed:
                    self._live.clear()
                    if "resume" not in self.ready:
                        raise self._error from None

    def _end(self) -> None:
        self._ended = True
        self._live.set()  # wakes tasks in send(), which then raise

    async def _close(self) -> None:
        self._end()
        if self._connection is not None:
            await self._connection.close()
