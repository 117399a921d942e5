"""Errors, backoff and connections, for senders and viewers."""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import urllib.parse
from typing import Any, Dict, Optional

try:
    import websockets
    from websockets.exceptions import WebSocketException
except ModuleNotFoundError as error:
    if error.name != "websockets":
        raise
    raise ModuleNotFoundError(
        "surtitle needs the package websockets: pip install websockets, or apt install python3-websockets",
        name="websockets",
    ) from None

Message = Dict[str, Any]  # of the protocol

# The package defines it on first use, which type checkers do not see.
open_websocket: Any = getattr(websockets, "connect")

SUBPROTOCOL = "surtitle.v1"
FIRST_WAIT = 0.5  # seconds
MAX_WAIT = 10.0
SILENCE = 20.0  # seconds without an answer to a ping

REFUSALS = {401: "unauthorized", 403: "forbidden", 429: "rate-limited"}  # error codes by HTTP status
UNREACHABLE = (OSError, asyncio.TimeoutError, WebSocketException)


class SurtitleError(Exception):
    """The reason of a stream's end.

    `code` is that of the protocol's `error`, or "unauthorized", "forbidden", "rate-limited" or "connection-lost".
    `retry_seconds` is the time after which to try again, if the daemon sent one, as an overloaded daemon does; otherwise
    None.
    """

    def __init__(self, code: str, message: str, retry_seconds: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_seconds = retry_seconds


def error_of(message: Message) -> SurtitleError:
    """Returns the SurtitleError of the protocol's `error`."""
    return SurtitleError(message["code"], message["message"], message.get("retry_seconds"))


def backoff_delay(attempt: int, share: Optional[float] = None) -> float:
    """Returns the seconds before an attempt: they double up to a limit, and are random, to spread many clients."""
    share = random.random() if share is None else share
    return min(MAX_WAIT, FIRST_WAIT * 2.0 ** min(attempt, 16)) * (0.5 + share / 2)


def connect(address: str, path: str, token: Optional[str]) -> Any:
    url = urllib.parse.urljoin(address.rstrip("/") + "/", path)
    if url.startswith("http"):
        url = "ws" + url[len("http"):]
    # The token is a header, because addresses end up in logs. Version 14 of the package renamed the parameter.
    headers = {"Authorization": f"Bearer {token}"} if token else None
    known = inspect.signature(open_websocket.__init__).parameters
    name = "additional_headers" if "additional_headers" in known else "extra_headers"
    timing: Dict[str, Any] = {"open_timeout": SILENCE, "ping_interval": SILENCE, "ping_timeout": SILENCE, "close_timeout": 1}
    return open_websocket(url, subprotocols=[SUBPROTOCOL], max_size=None, **timing, **{name: headers})


def to_json(message: object) -> str:
    return json.dumps(message, ensure_ascii=False)


def retry_seconds(headers: Any) -> Optional[int]:
    """Returns the seconds of Retry-After, or None."""
    given = headers.get("Retry-After", "")
    return int(given) if given.isdigit() else None


def failure(error: BaseException) -> SurtitleError:
    """Returns the SurtitleError of a connection that could not be opened."""
    answer: Any = getattr(error, "response", error)  # version 14 of the package moved status and headers there
    status = getattr(answer, "status_code", None)
    if status == 429:
        return SurtitleError(REFUSALS[status], f"the daemon limits connections: {error}", retry_seconds(answer.headers))
    if status in REFUSALS:
        return SurtitleError(REFUSALS[status], f"the daemon rejected the connection; check the token: {error}")
    return SurtitleError("connection-lost", f"cannot connect to the daemon: {error}")
