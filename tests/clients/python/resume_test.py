"""The Python client through losses of its connection at random moments.

It must receive the same messages as a client without losses.
"""

import asyncio
import contextlib
import pathlib
import random
import tempfile
import unittest

from surtitle_test import start_daemon, stop

import surtitle
from surtitle import wire

WORDS = [f"Wort{i}" + ("." if i % 7 == 6 else "") for i in range(210)]
SOURCE = " ".join(WORDS)


class Network:
    """A proxy between a client and a daemon that can cut or silence their connections."""

    async def start(self, port):
        self._port = port
        self._pairs = []
        self.cuts = 0
        self._server = await asyncio.start_server(self._join, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    async def _join(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        except OSError:
            writer.transport.abort()
            return
        pair = {"writers": (writer, far_writer), "silent": False}
        self._pairs.append(pair)
        await asyncio.gather(self._copy(reader, far_writer, pair), self._copy(far_reader, writer, pair))

    async def _copy(self, reader, writer, pair):
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                if not pair["silent"]:
                    writer.write(data)
                    await writer.drain()
        if not pair["silent"]:
            writer.transport.abort()

    def reset(self):
        """Resets all connections; both ends notice it."""
        self.cuts += 1
        for pair in self._pairs:
            for writer in pair["writers"]:
                writer.transport.abort()
        self._pairs.clear()

    def silence(self):
        """Discards all further data; neither end notices it."""
        self.cuts += 1
        for pair in self._pairs:
            pair["silent"] = True

    async def stop(self):
        self._server.close()
        for pair in self._pairs:
            for writer in pair["writers"]:
                writer.transport.abort()


class Received:
    """The texts of a client's messages, and the messages whose event did not grow (`faults`)."""

    def __init__(self):
        self.event = 0
        self.faults = []
        self.texts = {"source": [], "write": [], "sentence": []}

    def add(self, message):
        if message["type"] == "state":
            self.event = 0
        if "event" not in message:
            return
        if message["event"] <= self.event:
            self.faults.append(message)
        self.event = message["event"]
        if message["type"] in self.texts:
            self.texts[message["type"]].append(message.get("target", message.get("text")))


class ResumeTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.flags = ["--journal-path", str(pathlib.Path(folder.name) / "journal.sqlite"), "--timeouts-idle", "0.5"]
        self.daemon, self.address = start_daemon(0, *self.flags)
        self.addCleanup(lambda: stop(self.daemon))
        self.port = int(self.address.rstrip("/").rsplit(":", 1)[1])
        for name, value in (("FIRST_WAIT", 0.02), ("SILENCE", 0.3)):
            before = getattr(wire, name)
            setattr(wire, name, value)
            self.addCleanup(setattr, wire, name, before)

    async def send_words(self, stream, disturb):
        for i in range(0, len(WORDS), 3):
            await stream.source(" ".join(WORDS[i:i + 3]))
            await asyncio.sleep(random.random() * 0.01)
            await disturb(i)
        await stream.finish()

    async def receive(self, stream, received):
        async for message in stream:
            received.add(message)

    async def view(self, watching, received):
        """Returns how often the viewer started from the present state."""
        starts = 0
        async for message in watching:
            received.add(message)
            if message["type"] == "ready":
                starts += "after" not in message
            if message["type"] == "sentence" and message["source"].endswith(WORDS[-1]):
                break
        await watching.aclose()
        return starts

    async def run_stream(self, address, disturb):
        sender, viewer = Received(), Received()
        watching = surtitle.watch(address, "main")
        viewer.add(await watching.__anext__())
        async with surtitle.open_stream(address, source="de", target="en", channel="main", echo=True) as stream:
            viewing = asyncio.create_task(self.view(watching, viewer))
            await asyncio.gather(self.receive(stream, sender), self.send_words(stream, disturb))
            self.assertEqual(await viewing, 0, "the viewer starts from the present state only once")
        for received in (sender, viewer):
            self.assertEqual(received.faults, [])
            self.assertEqual(" ".join(received.texts["source"]), SOURCE)
            self.assertEqual(" ".join(received.texts["sentence"]), SOURCE.upper())
            self.assertEqual("".join(received.texts["write"]).replace(" ", ""), SOURCE.upper().replace(" ", ""))
        return stream

    async def cut(self, how, share):
        network = Network()
        address = await network.start(self.port)

        async def disturb(i):
            if i == 99 or random.random() < share:
                getattr(network, how)()

        stream = await self.run_stream(address, disturb)
        self.assertGreater(network.cuts, 0)
        await network.stop()
        return stream

    async def test_continues_after_resets(self):
        await self.cut("reset", 0.2)

    async def test_continues_after_connections_fall_silent(self):
        stream = await self.cut("silence", 0.02)
        self.assertGreater(stream.sent_again, 0)

    async def test_continues_after_the_daemon_is_killed_and_restarted(self):
        async def disturb(i):
            if i == 99 or random.random() < 0.05:
                await asyncio.to_thread(stop, self.daemon, True)
                self.daemon, _ = await asyncio.to_thread(start_daemon, self.port, *self.flags)

        await self.run_stream(self.address, disturb)

    async def test_a_stream_that_is_unknown_to_the_daemon_ends(self):
        with self.assertRaises(surtitle.SurtitleError) as unknown:
            async with surtitle.open_stream(self.address, source="de", target="en") as stream:
                stop(self.daemon, kill=True)
                self.daemon, _ = start_daemon(self.port, "--journal-path", "none")
                async for _ in stream:
                    pass
        self.assertEqual(unknown.exception.code, "resume-unavailable")

    async def test_a_daemon_that_stays_away_is_reported(self):
        stop(self.daemon)
        self.daemon, self.address = start_daemon(self.port, *self.flags, "--resume-timeout", "0.3")
        with self.assertRaises(surtitle.SurtitleError) as lost:
            async with surtitle.open_stream(self.address, source="de", target="en") as stream:
                stop(self.daemon, kill=True)
                async for _ in stream:
                    pass
        self.assertEqual(lost.exception.code, "connection-lost")
        with self.assertRaises(surtitle.SurtitleError):
            await stream.source("zu spät")
        self.daemon, _ = start_daemon(self.port, *self.flags)


if __name__ == "__main__":
    unittest.main()
