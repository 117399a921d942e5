"""The daemon's WebSocket server with python3-websockets, an independent implementation (tests/RELIABILITY.md)."""

import asyncio
import json

import websockets

from surtitle_test import Case

START = json.dumps({"type": "start", "source": "de", "target": "en"})


class WebsocketTest(Case):
    def connect(self, **options):
        address = self.address.replace("http://", "ws://") + "v1/stream"
        return websockets.connect(address, subprotocols=["other", "surtitle.v1"], **options)

    async def next(self, socket, kind):
        while True:
            message = json.loads(await socket.recv())
            if message["type"] == kind:
                return message

    async def ends(self, socket):
        """Returns the types of all further messages, and the close code."""
        kinds = []
        try:
            while True:
                kinds.append(json.loads(await socket.recv())["type"])
        except websockets.ConnectionClosed:
            return kinds, socket.close_code

    async def test_the_server_chooses_the_subprotocol_and_no_extension(self):
        async with self.connect(compression="deflate") as socket:
            self.assertEqual(socket.subprotocol, "surtitle.v1")
            self.assertEqual(socket.extensions, [])
            await socket.send(START)
            self.assertEqual((await self.next(socket, "ready"))["model"], "scripted")

    async def test_the_server_accepts_a_message_in_fragments_with_pings_between(self):
        async with self.connect() as socket:
            async def fragments():
                for begin in range(0, len(START), 7):
                    yield START[begin:begin + 7]
                    await (await socket.ping(b"p" * 125))
            await socket.send(fragments())
            await self.next(socket, "ready")

    async def test_the_server_answers_a_close_with_its_code(self):
        for code in 1000, 1001, 1008, 1011, 3000, 4999:
            async with self.connect() as socket:
                await socket.close(code, "r" * 123)
                self.assertEqual((socket.close_code, socket.close_reason), (code, ""))

    async def test_the_server_reports_an_error_before_it_closes(self):
        for message, code in ("{", 4400), (b"{}", 4400), (" " * 70000, 1009):
            async with self.connect() as socket:
                await socket.send(message)
                self.assertEqual(await self.ends(socket), (["error", "bye"], code))

    async def test_both_ends_may_close_at_the_same_time(self):
        async with self.connect() as socket:
            await socket.send("{")
            await asyncio.gather(socket.close(1000), self.ends(socket))
            self.assertIn(socket.close_code, (1000, 4400))

    async def test_a_lost_client_does_not_affect_others(self):
        socket = await self.connect()
        await socket.send(START)
        await self.next(socket, "ready")
        socket.transport.abort()
        async with self.connect() as other:
            await other.send(START)
            await self.next(other, "ready")
