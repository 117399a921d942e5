"""Errors, backoff and connections, for senders and viewers."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
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
MAX_REASON = 1000  # bytes of a refusal

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


def url_of(address: str, path: str) -> str:
    url = urllib.parse.urljoin(address.rstrip("/") + "/", path)
    return "ws" + url[len("http"):] if url.startswith("http") else url


def credentials(token: Optional[str]) -> Dict[str, str]:
    """Returns the headers with the token, which is not in the address, because addresses end up in logs."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def connect(address: str, path: str, token: Optional[str]) -> Any:
    # Version 14 of the package renamed the parameter.
    known = inspect.signature(open_websocket.__init__).parameters
    name = "additional_headers" if "additional_headers" in known else "extra_headers"
    timing: Dict[str, Any] = {"open_timeout": SILENCE, "ping_interval": SILENCE, "ping_timeout": SILENCE, "close_timeout": 1}
    headers = {name: credentials(token)}
    return open_websocket(url_of(address, path), subprotocols=[SUBPROTOCOL], max_size=None, **timing, **headers)


def to_json(message: object) -> str:
    return json.dumps(message, ensure_ascii=False)


def retry_seconds(headers: Any) -> Optional[int]:
    """Returns the seconds of Retry-After, or None."""
    given = headers.get("Retry-After", "")
    return int(given) if given.isdigit() else None


def refusal(url: str, token: Optional[str], status: int) -> str:
    """Returns the daemon's reason for a refusal with this status, or "" if it is unknown.

    A plain HTTP request to the address of a WebSocket has the same answer.
    """
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "wss" else http.client.HTTPConnection
    try:
        with contextlib.closing(kind(parts.netloc, timeout=SILENCE)) as connection:
            connection.request("GET", f"{parts.path}?{parts.query}", headers=credentials(token))
            answer = connection.getresponse()
            reason: str = answer.read(MAX_REASON).decode(errors="replace").strip()
            return reason if answer.status == status else ""
    except (OSError, http.client.HTTPException):
        return ""


async def failure(error: BaseException, address: str, path: str, token: Optional[str]) -> SurtitleError:
    """Returns the SurtitleError of a connection that could not be opened."""
    answer: Any = getattr(error, "response", error)  # version 14 of the package moved status and headers there
    status = getattr(answer, "status_code", None)
    if status not in REFUSALS:
        return SurtitleError("connection-lost", f"cannot connect to the daemon: {error}")
    body = getattr(answer, "body", None)  # old versions of the package do not read it
    known = body.decode(errors="replace").strip() if body else ""
    reason = known or await asyncio.to_thread(refusal, url_of(address, path), token, status)
    message = reason or f"the daemon rejected the connection: {error}"
    return SurtitleError(REFUSALS[status], message, retry_seconds(answer.headers))
