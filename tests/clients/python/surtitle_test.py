"""The Python client and its example, with a real daemon.

    SURTITLE_BUILD=$PWD/build python3 -m unittest discover -s tests/clients/python -p '*_test.py'
"""

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLIENT = ROOT / "clients/python"
BUILD = pathlib.Path(os.environ.get("SURTITLE_BUILD", ROOT / "build"))
sys.path.insert(0, str(CLIENT))

import surtitle  # noqa: E402
from surtitle.unacked import split_for_limits  # noqa: E402
from surtitle.words import join_words, split_words  # noqa: E402

READY = "surtitled ready on "


def start_daemon(port=0, *flags):
    command = [BUILD / "surtitled_scripted", "--port", str(port), "--web", ROOT / "web", "--log-level", "warning",
               "--sentence-silence", "0", *flags]
    # The machine may be busy with other tests; admission control must reject no stream for that.
    for flag, value in (("--models", "scripted"), ("--admission-max-delay-p95", "0"), ("--journal-path", "none")):
        command += [] if flag in flags else [flag, value]
    daemon = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = daemon.stdout.readline()
    if not line.startswith(READY):
        raise RuntimeError(f"surtitled_scripted is not ready: {line}")
    return daemon, line[len(READY):].strip()


def stop(daemon, kill=False):
    daemon.kill() if kill else daemon.terminate()
    daemon.wait()
    daemon.stdout.close()


async def translate(address, text, *languages):
    """Runs the example; returns its output, its errors and its exit code."""
    example = await asyncio.create_subprocess_exec(
        sys.executable, CLIENT / "translate.py", address, *languages,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = await example.communicate(text.encode())
    return out.decode(), err.decode(), example.returncode


class Case(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.daemon, self.address = start_daemon(0, "--limits-queued-words", "200", "--sentence-words", "50")
        self.addCleanup(lambda: stop(self.daemon))

    def stream(self, **start):
        return surtitle.open_stream(self.address, **{"source": "de", "target": "en", **start})


class ChannelStateTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.daemon, self.address = start_daemon(0, "--journal-path", pathlib.Path(folder.name) / "journal.sqlite")
        self.addCleanup(lambda: stop(self.daemon))

    async def test_a_viewer_knows_the_heading(self):
        state = surtitle.ChannelState()
        viewing = surtitle.watch(self.address, "main")

        async def until(wanted):
            async for message in viewing:
                state.follow(message)
                if message["type"] == wanted:
                    return

        await until("ready")
        self.assertFalse(state.live)
        async with surtitle.open_stream(self.address, source="de", target="en", channel="main", title="Saal 1") as stream:
            await until("state")
            self.assertEqual((state.live, state.interrupted, state.title, state.speaker), (True, None, "Saal 1", ""))
            await stream.configure(speaker="Ada")
            await until("heading")
            self.assertEqual((state.title, state.speaker), ("Saal 1", "Ada"))
            await stream.finish()
            async for _ in stream:
                pass
        await viewing.aclose()

    def test_a_viewer_knows_that_the_sender_is_lost(self):
        state = surtitle.ChannelState()
        state.follow({"type": "interruption", "interrupted": 12.5})
        self.assertEqual(state.interrupted, 12.5)
        state.follow({"type": "interruption"})
        self.assertIsNone(state.interrupted)


class WordsTest(unittest.TestCase):
    def test_a_character_of_a_script_without_spaces_is_a_word(self):
        words = split_words("今天，很 好。「真的」iPhone15")
        self.assertEqual(words, ["今", "天，", "很", "好。", "「真", "的」", "iPhone15"])
        self.assertEqual(join_words(words), "今天，很好。「真的」 iPhone15")
        self.assertEqual(split_words(" Guten  Morgen. "), ["Guten", "Morgen."])

    def test_a_long_text_without_spaces_is_sent_in_several_messages(self):
        texts = split_for_limits(split_words("今" * 40), {"message_bytes": 10000, "queued_words": 16}, len)
        self.assertEqual([len(text) for text in texts], [16, 16, 8])


class TokenTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "tokens"
        make = [BUILD / "surtitle", "token", "--name", "test", "--role", "send,view", "--channels", "hall", "--add", file]
        self.token = subprocess.run(make, check=True, capture_output=True, text=True).stdout.strip()
        self.daemon, self.address = start_daemon(0, "--access-tokens", file)
        self.addCleanup(lambda: stop(self.daemon))

    async def test_a_client_with_the_token_sends_and_watches(self):
        stream = surtitle.open_stream(self.address, source="de", target="en", channel="hall", token=self.token)
        async with stream as stream:
            await stream.source("Guten Tag.")
            await stream.finish()
            self.assertEqual([m["target"] async for m in stream if m["type"] == "sentence"], ["GUTEN TAG."])
        async for message in surtitle.watch(self.address, "hall", token=self.token):
            if message["type"] == "sentence":
                self.assertEqual(message["target"], "GUTEN TAG.")
                break

    async def test_a_client_without_a_valid_token_is_rejected(self):
        reasons = {None: "This daemon requires a token", self.token + "x": "The token is not valid for this daemon"}
        for token, code in ((None, "unauthorized"), (self.token + "x", "unauthorized")):
            with self.assertRaises(surtitle.SurtitleError) as refused:
                async with surtitle.open_stream(self.address, source="de", target="en", token=token):
                    self.fail("opened")
            self.assertEqual(refused.exception.code, code)
            self.assertIn(reasons[token], str(refused.exception))
        with self.assertRaises(surtitle.SurtitleError) as refused:
            async for _ in surtitle.watch(self.address, "main", token=self.token):
                self.fail("watched")
        self.assertEqual(refused.exception.code, "forbidden")
        self.assertIn("is not valid for the channel 'main'", str(refused.exception))
        self.assertNotIn(self.token, str(refused.exception))

    async def test_the_example_takes_the_token_of_its_address(self):
        with_token = await translate(f"{self.address}?token={self.token}", "Guten Tag.", "de", "en", "hall")
        self.assertEqual(with_token, ("GUTEN TAG.\n", "", 0))
        out, err, code = await translate(self.address, "Guten Tag.", "de", "en", "hall")
        self.assertEqual((out, code), ("", 1))
        self.assertRegex(err, r"\Atranslate: This daemon requires a token.*\n\Z")


class LimitTest(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.daemon, self.address = start_daemon(0, "--per-address-exempt", "", "--per-address-connections", "1")
        self.addCleanup(lambda: stop(self.daemon))

    async def test_a_rate_limit_is_reported_with_the_time_to_wait(self):
        async with surtitle.open_stream(self.address, source="de", target="en"):
            with self.assertRaises(surtitle.SurtitleError) as refused:
                async with surtitle.open_stream(self.address, source="de", target="en"):
                    self.fail("opened")
        self.assertEqual(refused.exception.code, "rate-limited")
        self.assertEqual(refused.exception.retry_seconds, 10)


class StreamTest(Case):
    async def test_a_stream_is_translated_to_its_end(self):
        async with self.stream(policy="wait-k:k=2") as stream:
            self.assertEqual(stream.ready["policy"], "wait-k:k=2")
            await stream.source("Guten Morgen. Wie", time=1.5)
            await stream.hypothesis("geht es")
            await stream.hypothesis("geht es Ihnen", final=True)
            await stream.source("Und")
            await stream.end_sentence()
            await stream.finish()
            messages = [message async for message in stream]
        targets = [message["target"] for message in messages if message["type"] == "sentence"]
        self.assertEqual(targets, ["GUTEN MORGEN.", "WIE GEHT ES IHNEN", "UND"])
        self.assertEqual("".join(message["text"] for message in messages if message["type"] == "write"),
                         "".join(targets))
        self.assertEqual(messages[-1], {"type": "bye", "reason": "finished"})

    async def test_too_many_words_for_one_message_are_sent_in_several(self):
        words = [f"Wort{i}" + ("." if i % 9 == 8 else "") for i in range(450)]
        async with self.stream() as stream:
            await stream.source("\n".join(words))
            await stream.finish()
            messages = [message async for message in stream]
        self.assertEqual([message["seq"] for message in messages if message["type"] == "ack"], [1, 2, 3])
        targets = [message["target"] for message in messages if message["type"] == "sentence"]
        self.assertEqual(" ".join(targets), " ".join(words).upper())

    async def test_too_many_bytes_for_one_message_are_sent_in_several(self):
        async with self.stream() as stream:
            limit = stream.limits["message_bytes"]
            await stream.source("x" * (limit // 2) + " " + '"' * (limit // 3) + " Schluss.")
            with self.assertRaises(ValueError):
                await stream.source("ä" * limit)
            await stream.finish()
            acks = [message async for message in stream if message["type"] == "ack"]
        self.assertEqual(len(acks), 2)

    async def test_an_error_of_the_daemon_is_raised(self):
        with self.assertRaises(surtitle.SurtitleError) as refused:
            async with self.stream(target="xx"):
                self.fail("opened with an unknown language")
        self.assertEqual(refused.exception.code, "unsupported-languages")
        async with self.stream() as stream:
            with self.assertRaises(surtitle.SurtitleError) as broken:
                await stream.source("xx-refuse")
                async for _ in stream:
                    pass
        self.assertEqual(broken.exception.code, "internal")

    async def test_an_unreachable_daemon_is_reported(self):
        with self.assertRaises(surtitle.SurtitleError) as unreachable:
            async with surtitle.open_stream("http://127.0.0.1:9/", source="de", target="en"):
                self.fail("opened on a port without a listener")
        self.assertEqual(unreachable.exception.code, "connection-lost")


class OverloadTest(unittest.IsolatedAsyncioTestCase):
    async def test_an_overloaded_daemon_reports_when_to_try_again(self):
        daemon, address = start_daemon(0, "--models", "slow", "--admission-max-delay-p95", "10000", "--admission-max-load", "0.01")
        self.addCleanup(lambda: stop(daemon))
        async with surtitle.open_stream(address, source="de", target="en"):
            with self.assertRaises(surtitle.SurtitleError) as refused:
                async with surtitle.open_stream(address, source="de", target="en"):
                    self.fail("opened")
        self.assertEqual(refused.exception.code, "overloaded")
        self.assertGreaterEqual(refused.exception.retry_seconds, 5)


class WatchTest(Case):
    async def test_a_viewer_reconnects_to_a_restarted_daemon(self):
        phases = []
        watching = surtitle.watch(self.address, "main", on_connection=phases.append)
        self.assertEqual((await watching.__anext__())["type"], "ready")
        stop(self.daemon, kill=True)
        port = self.address.rstrip("/").rsplit(":", 1)[1]
        self.daemon, _ = start_daemon(port)
        self.assertEqual((await watching.__anext__())["type"], "ready")
        self.assertEqual([phases[0], phases[1], phases[2], phases[-1]], ["connecting", "open", "waiting", "open"])
        async with self.stream(channel="main") as stream:
            await stream.source("Guten Morgen.")
            async for message in watching:
                if message["type"] == "sentence":
                    break
        self.assertEqual(message["target"], "GUTEN MORGEN.")
        await watching.aclose()

    async def test_attention_is_sent_to_the_sender_and_to_viewers_that_request_it(self):
        watching = surtitle.watch(self.address, "main", track="first", attention=True)
        self.assertEqual((await watching.__anext__())["type"], "ready")
        async with self.stream(channel="main", attention=True) as stream:
            await stream.source("Ja.")
            await stream.finish()
            sent = [message async for message in stream if message["type"] == "attention"]
        seen = []
        async for message in watching:
            if message["type"] == "attention":
                seen.append(message)
            if message["type"] == "sentence":
                break
        self.assertEqual(seen, sent)
        self.assertEqual([message["target"] for message in seen], ["\u2581JA.", "</s>"])
        await watching.aclose()

    def test_backoff_doubles_from_half_a_second_to_ten(self):
        longest = [surtitle.backoff_delay(attempt, 1) for attempt in (0, 1, 2, 3, 4, 5, 6, 6000)]
        self.assertEqual(longest, [0.5, 1, 2, 4, 8, 10, 10, 10])
        self.assertEqual(surtitle.backoff_delay(3, 0), 2)


class ExampleTest(Case):
    async def test_it_writes_the_translation_of_its_input(self):
        out = await translate(self.address, "Guten Morgen. Wie geht\nes Ihnen?\nGut", "de", "en", "hall")
        self.assertEqual(out, ("GUTEN MORGEN.\nWIE GEHT ES IHNEN?\nGUT\n", "", 0))

    async def test_it_prints_the_error_of_a_rejected_stream(self):
        out, err, code = await translate(self.address, "Guten Morgen.", "de", "xx")
        self.assertEqual((out, code), ("", 1))
        self.assertRegex(err, r"\Atranslate: .*xx.*\n\Z")


if __name__ == "__main__":
    unittest.main()
