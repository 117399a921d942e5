"""A sender's stream, over one connection after the other; the Stream of surtitle.py."""

import asyncio
import contextlib
import json
import time

import websockets.exceptions

import surtitle_wire
from surtitle_unacked import UnackedQueue, split_for_limits
from surtitle_wire import UNREACHABLE, SurtitleError, error_of, failure, to_json, backoff_delay

LATER = ("draining", "too-many-streams")  # what a daemon may have against a stream that comes back, for a while
NOTICES = ("sentence-too-long", "not-configured")  # the stream goes on after them


class Stream:
    """Sends source and iterates over the server's messages, to the end of the stream.

    Somebody must iterate while words are sent: a daemon that is not listened to ends the stream with `slow`, and it is
    the iteration that comes back after a cut, for as long as the daemon waits (`ready["resume"]["seconds"]`).
    """

    def __init__(self, connect, on_connection):
        self.ready = None  # the server's `ready`: stream, model, policy, warnings, limits
        self._connect = connect
        self._on_connection = on_connection
        self._connection = None
        self._unacked = UnackedQueue()
        self._acked = self._event = 0
        self._live = asyncio.Event()
        self._sending = asyncio.Lock()
        self._flushing = None
        self._ended = False
        self._error = SurtitleError("connection-lost", "the connection to the daemon was lost")

    @property
    def limits(self):
        return self.ready["limits"]

    @property
    def sent_again(self):
        """Messages, after cuts."""
        return self._unacked.sent_again

    async def source(self, text, time=None):
        """Complete words, in as many messages as the limits want; `time`: seconds on the source's own clock.

        Raises ValueError, and sends nothing, for a word that no message can hold.
        """
        for portion in split_for_limits(text.split(), self.limits, lambda word: len(to_json(word).encode())):
            await self.send({"type": "source", "text": portion, "time": time})

    async def hypothesis(self, text, final=False):
        """A recogniser's whole text since its last final one."""
        await self.send({"type": "hypothesis", "text": text, "final": final})

    async def end_sentence(self):
        await self.send({"type": "end_sentence"})

    async def finish(self):
        """No more source; iterate on for what is still being translated."""
        await self.send({"type": "finish"})

    async def send(self, message):
        """Any message of the protocol. Without a connection more than queued_words words wait for one."""
        while not self._live.is_set() and not self._ended and self._unacked.words > self.limits["queued_words"]:
            await self._live.wait()
        if self._ended:
            raise self._error
        numbered = ["source"] + ["hypothesis", "end_sentence"] * ("resume" in self.ready)
        self._unacked.add(message, message["type"] in numbered)
        await self._flush()

    async def __aiter__(self):
        """Messages until the daemon has said goodbye. Raises SurtitleError where that is not the end of finish()."""
        while True:
            with contextlib.suppress(websockets.exceptions.ConnectionClosed):
                async for frame in self._connection:
                    message = json.loads(frame)
                    self._notice(message)
                    yield message
                    if message["type"] == "bye" and message["reason"] == "finished":
                        return
            self._live.clear()
            if self._ended or "resume" not in (self.ready or {}):
                self._end()
                raise self._error
            yield await self._come_back()

    def _notice(self, message):
        self._event = message.get("event", self._event)
        if message["type"] == "ack":
            self._acked = message["seq"]
            self._unacked.ack(self._acked)
        elif message["type"] == "error" and message["code"] not in NOTICES:
            self._error = error_of(message)
            self._ended = True
        elif message["type"] == "bye":
            self._ended = True

    async def _open(self, start):
        self._start = start
        try:
            self._connection = await self._connect()
            await self._connection.send(to_json(start))
        except UNREACHABLE as error:
            raise failure(error) from error
        async for message in self:
            if message["type"] == "ready":
                self.ready = message
                self._live.set()
                return

    async def _come_back(self):
        until = time.monotonic() + self.ready["resume"]["seconds"]
        attempt = 0
        while (left := until - time.monotonic()) > 0:
            self._on_connection("waiting")
            await asyncio.sleep(min(left, backoff_delay(attempt)))
            attempt += 1
            self._on_connection("connecting")
            with contextlib.suppress(*UNREACHABLE):
                answer = await self._try()
                if answer["type"] == "ready":
                    self._go_on(answer)
                    return answer
                if answer["code"] not in LATER:
                    self._error = error_of(answer)
                    break
        self._end()
        raise self._error

    async def _try(self):
        self._connection = await self._connect()
        known = {"stream": self.ready["stream"], "key": self.ready["resume"]["key"]}
        resume = {**known, "seq": self._acked, "event": self._event}
        await self._connection.send(to_json({**self._start, "resume": resume}))
        return json.loads(await asyncio.wait_for(self._connection.recv(), surtitle_wire.SILENCE))

    def _go_on(self, ready):
        self.ready = ready
        self._unacked.rewind(ready["resume"]["seq"])
        self._live.set()
        self._flushing = asyncio.ensure_future(self._flush())
        self._on_connection("open")

    async def _flush(self):
        async with self._sending:
            while self._live.is_set() and (message := self._unacked.next) is not None:
                self._unacked.sent()
                try:
                    await self._connection.send(to_json(message))
                except websockets.exceptions.ConnectionClosed:
                    self._live.clear()
                    if "resume" not in self.ready:
                        raise self._error from None

    def _end(self):
        self._ended = True
        self._live.set()  # who waits for it hears of the end

    async def _close(self):
        self._end()
        if self._connection is not None:
            await self._connection.close()
