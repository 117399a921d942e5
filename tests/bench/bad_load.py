#!/usr/bin/python3
"""Measures the daemon under excessive loads, and one ordinary stream beside them.

usage: tests/bench/bad_load.py [--build build] [--program surtitled_scripted] idle|storm|flood|slowloris|restart [COUNT]

  idle COUNT       silent viewers (10000)
  storm COUNT      connections a second, each an upgrade, for 20 s (500)
  flood COUNT      streams that send as fast as they can, for 20 s (8)
  slowloris COUNT  connections that send a byte of their request every second, for 60 s (1000)
  restart COUNT    streams of 5,000 words in the journal of a daemon that is killed and restarted (100)

Prints the daemon's memory, processor time and open files before, during and after the load, and the delays of the
ordinary stream's sentences. It needs only Python's standard library.
"""
import argparse
import asyncio
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MASK = b'\x12\x34\x56\x78'
UPGRADE = ('GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
           'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n')


def frame(opcode, payload=b''):
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + size.to_bytes(2, 'big')
    masked = bytes(byte ^ MASK[i % 4] for i, byte in enumerate(payload))
    return bytes([0x80 | opcode]) + length + MASK + masked


def text(**message):
    return frame(1, json.dumps(message).encode())


START = text(type='start', source='de', target='en')


async def connect(port, path):
    reader, writer = await asyncio.open_connection('127.0.0.1', port)
    writer.write(UPGRADE.format(path).encode())
    head = await reader.readuntil(b'\r\n\r\n')
    if not head.startswith(b'HTTP/1.1 101'):
        writer.close()
        raise ConnectionError(head.split(b'\r\n')[0].decode())
    return reader, writer


async def read_frame(reader, writer):
    """Returns the payload of the next text message, and answers pings before it."""
    while True:
        first, length = await reader.readexactly(2)
        if length == 126:
            length = int.from_bytes(await reader.readexactly(2), 'big')
        elif length == 127:
            length = int.from_bytes(await reader.readexactly(8), 'big')
        payload = await reader.readexactly(length)
        if first == 0x89:
            writer.write(frame(10, payload))
        elif first == 0x88:
            raise ConnectionError('closed')
        else:
            return payload


class Daemon:
    def __init__(self, options, *more, log=None):
        flags = ['--port', '0', '--log-level', 'info' if log else 'warning', '--limits-viewers', '20000', *more]
        if options.program.endswith('scripted'):
            flags += ['--models', 'scripted']
        self.process = subprocess.Popen([str(options.build / options.program), *flags],
                                        stdout=subprocess.PIPE, stderr=log, text=True)
        self.port = int(self.process.stdout.readline().rstrip('/\n').rsplit(':', 1)[1])

    def seen(self):
        """Returns the daemon's resident memory (MiB), processor time (s) and number of open files."""
        folder = pathlib.Path(f'/proc/{self.process.pid}')
        fields = (folder / 'stat').read_text().rsplit(')', 1)[1].split()
        ticks = int(fields[11]) + int(fields[12])
        return (int(fields[21]) * resource.getpagesize() / 2**20, ticks / os.sysconf('SC_CLK_TCK'),
                len(os.listdir(folder / 'fd')))


class Bystander:
    """An ordinary stream on channel main, with the delay from each sentence to its translation (ms)."""

    def __init__(self):
        self.delays = []

    async def run(self, port):
        reader, writer = await connect(port, '/v1/stream')
        writer.write(text(type='start', source='de', target='en', channel='main'))
        seq = 0
        while True:
            seq += 1
            begin = time.monotonic()
            writer.write(text(type='source', seq=seq, text='Guten Morgen, meine Damen und Herren.'))
            while b'"type":"sentence"' not in await read_frame(reader, writer):
                pass
            self.delays.append(1000 * (time.monotonic() - begin))
            await asyncio.sleep(0.1)

    def take(self):
        delays, self.delays = self.delays, []
        cuts = statistics.quantiles(delays, n=100)
        return f'{len(delays)} sentences, p50 {cuts[49]:.1f} ms, p99 {cuts[98]:.1f} ms'


async def measure(daemon, bystander, name, seconds):
    bystander.take() if len(bystander.delays) > 1 else None
    before = daemon.seen()[1]
    await asyncio.sleep(seconds)
    memory, spent, files = daemon.seen()
    print(f'{name:12} {memory:8.1f} MiB {100 * (spent - before) / seconds:6.1f}% of a core '
          f'{files:6} files; {bystander.take()}', flush=True)


async def listen(reader, writer):
    try:
        while True:
            await read_frame(reader, writer)
    except (ConnectionError, asyncio.IncompleteReadError):
        pass


async def idle(daemon, bystander, count):
    begin = time.monotonic()
    tasks = []
    for number in range(count):
        tasks.append(asyncio.create_task(listen(*await connect(daemon.port, f'/v1/channels/c{number % 100}'))))
    print(f'{count} viewers connected in {time.monotonic() - begin:.1f} s')
    await measure(daemon, bystander, 'idle', 60)
    gone = sum(task.done() for task in tasks)
    print(f'{gone} of them were disconnected')
    for task in tasks:
        task.cancel()
    return tasks


async def storm(daemon, bystander, rate):
    outcomes = {'served': 0, 'refused': 0}

    async def visit():
        try:
            reader, writer = await connect(daemon.port, '/v1/channels/main')
            await read_frame(reader, writer)
            writer.close()
            outcomes['served'] += 1
        except (OSError, asyncio.IncompleteReadError):
            outcomes['refused'] += 1

    visits = set()  # keeps references, because the event loop has only weak ones

    async def rain():
        begin = time.monotonic()
        for number in range(rate * 20):
            await asyncio.sleep(max(0, begin + number / rate - time.monotonic()))
            visits.add(asyncio.create_task(visit()))

    task = asyncio.create_task(rain())
    await measure(daemon, bystander, 'storm', 20)
    await task
    await asyncio.gather(*visits)
    print(outcomes)


async def flood(daemon, bystander, count):
    hypothesis = text(type='hypothesis', text='wort ' * 1900, final=False)
    sent = [0]

    async def pour(reader, writer):
        writer.write(START)
        asyncio.create_task(listen(reader, writer))
        while True:
            writer.write(hypothesis)
            await writer.drain()
            sent[0] += len(hypothesis)

    tasks = [asyncio.create_task(pour(*await connect(daemon.port, '/v1/stream'))) for _ in range(count)]
    await measure(daemon, bystander, 'flood', 20)
    print(f'{sent[0] / 20e6:.1f} MB/s accepted')
    for task in tasks:
        task.cancel()


async def slowloris(daemon, bystander, count):
    cut = [0]

    async def drip():
        reader, writer = await asyncio.open_connection('127.0.0.1', daemon.port)
        writer.write(b'GET / HTTP/1.1\r\nX: ')
        try:
            while True:
                writer.write(b'x')
                await writer.drain()
                await asyncio.sleep(1)
                if reader.at_eof():
                    break
        except ConnectionError:
            pass
        cut[0] += 1

    tasks = [asyncio.create_task(drip()) for _ in range(count)]
    await measure(daemon, bystander, 'slowloris', 60)
    print(f'{cut[0]} of {count} were disconnected')
    for task in tasks:
        task.cancel()


async def open_stream(port, channel, words):
    """Opens a stream and sends `words` words. Returns its writer once all words are acknowledged."""
    reader, writer = await connect(port, '/v1/stream')
    writer.write(text(type='start', source='de', target='en', channel=channel))
    sentence = 'das ist ein Satz mit vielen Wörtern, wie er in einer Rede vorkommt, und er endet hier.'.split()
    acked = 0
    for seq in range(1, words + 1):
        writer.write(text(type='source', seq=seq, text=sentence[seq % len(sentence)] + ' '))
        while acked < max(0, seq - 50) or (seq == words and acked < words):
            message = json.loads(await read_frame(reader, writer))
            acked = message['seq'] if message['type'] == 'ack' else acked
    return writer


async def start_streams(port, outcomes):
    """Starts a stream every 0.3 s, and adds the type of the first answer to `outcomes`."""
    while True:
        reader, writer = await connect(port, '/v1/stream')
        writer.write(START)
        outcomes.append(json.loads(await read_frame(reader, writer))['type'])
        writer.close()
        await asyncio.sleep(0.3)


async def restart(options, count):
    with tempfile.TemporaryDirectory() as folder:
        flags = ['--journal-path', f'{folder}/journal.sqlite', '--limits-streams', str(count + 64),
                 '--per-address-streams', '0', '--per-address-words', '0']
        daemon = Daemon(options, *flags)
        open_ones = await asyncio.gather(*(open_stream(daemon.port, f'c{number}', 5000) for number in range(count)))
        daemon.process.kill()
        daemon.process.wait()
        for writer in open_ones:
            writer.close()
        with open(f'{folder}/log', 'w+') as log:
            begin = time.monotonic()
            daemon = Daemon(options, *flags, log=log)
            print(f'ready after {time.monotonic() - begin:.2f} s')
            try:
                bystander, outcomes, asked = Bystander(), [], time.monotonic()
                await read_frame(*await connect(daemon.port, f'/v1/channels/c{count - 1}'))
                print(f'a viewer of the last channel received an answer after {time.monotonic() - asked:.2f} s')
                tasks = [asyncio.create_task(bystander.run(daemon.port)),
                         asyncio.create_task(start_streams(daemon.port, outcomes))]
                while 'Recovery finished' not in pathlib.Path(log.name).read_text():
                    await asyncio.sleep(0.05)
                print(f'restored after {time.monotonic() - begin:.2f} s, {daemon.seen()[0]:.1f} MiB; {bystander.take()}; '
                      f'{outcomes.count("ready")} of {len(outcomes)} new streams were accepted')
                for task in tasks:
                    task.cancel()
            finally:
                daemon.process.terminate()
                daemon.process.wait()


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path, default=ROOT / 'build')
    parser.add_argument('--program', default='surtitled_scripted')
    loads = {'idle': (idle, 10000), 'storm': (storm, 500), 'flood': (flood, 8), 'slowloris': (slowloris, 1000)}
    parser.add_argument('load', choices=[*loads, 'restart'])
    parser.add_argument('count', type=int, nargs='?')
    options = parser.parse_args()
    if options.load == 'restart':
        await restart(options, options.count or 100)
        return
    run, count = loads[options.load]
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    daemon = Daemon(options)
    try:
        bystander = Bystander()
        task = asyncio.create_task(bystander.run(daemon.port))
        await measure(daemon, bystander, 'before', 10)
        await run(daemon, bystander, options.count or count)
        await asyncio.sleep(2)
        await measure(daemon, bystander, 'afterwards', 10)
        task.cancel()
    finally:
        daemon.process.terminate()
        daemon.process.wait()


asyncio.run(main())
