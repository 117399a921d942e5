"""Translates standard input, line by line, to standard output:

    echo 'Guten Morgen, meine Damen und Herren.' | python3 translate.py http://127.0.0.1:8765/ de en main

Viewers of the channel, the fourth argument, see the words too.
"""

import asyncio
import sys

import surtitle


async def send_lines(stream):
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        await stream.source(line)
    await stream.finish()


async def translate(address="http://127.0.0.1:8765/", source="de", target="en", channel=None):
    async with surtitle.open_stream(address, source=source, target=target, channel=channel) as stream:
        sending = asyncio.create_task(send_lines(stream))
        async for message in stream:
            if message["type"] == "write":
                print(message["text"], end="", flush=True)
            elif message["type"] == "sentence":
                print(flush=True)
        await sending


if __name__ == "__main__":
    try:
        asyncio.run(translate(*sys.argv[1:5]))
    except surtitle.SurtitleError as error:
        sys.exit(f"translate: {error}")
