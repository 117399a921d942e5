"""Translates standard input, line by line, to standard output:

    echo 'Guten Morgen, meine Damen und Herren.' | python3 translate.py http://127.0.0.1:8765/ de en main

Viewers of the channel, the fourth argument, see the words too. If the daemon requires a token, the address has it:
http://127.0.0.1:8765/?token=...
"""

import asyncio
import sys
import urllib.parse
from typing import Optional

try:
    import surtitle
except ModuleNotFoundError as error:  # of the package websockets
    sys.exit(f"translate: {error}")


async def send_lines(stream: surtitle.Stream) -> None:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        await stream.source(line)
    await stream.finish()


async def translate(
    address: str = "http://127.0.0.1:8765/", source: str = "de", target: str = "en", channel: Optional[str] = None,
) -> None:
    home, _, query = address.partition("?")
    token = dict(urllib.parse.parse_qsl(query)).get("token")
    async with surtitle.open_stream(home, source=source, target=target, channel=channel, token=token) as stream:
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
