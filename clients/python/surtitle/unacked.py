"""Positions of the client in a stream and in a channel, from which it continues after a lost connection."""

from __future__ import annotations

import collections
from typing import Callable, NamedTuple, Optional

from .wire import Message
from .words import join_words, split_words

FRAME = 128  # bytes of a source message without its words


class Entry(NamedTuple):
    sort_key: float
    message: Message
    words: int


class UnackedQueue:
    """The messages that the daemon has not acknowledged, in order.

    `next` is the first message that was not sent on this connection, or None.
    """

    def __init__(self) -> None:
        self.words = 0
        self.sent_again = 0  # messages
        self._entries: collections.deque[Entry] = collections.deque()
        self._first = 0  # number of messages that were acknowledged and removed
        self._cursor = 0  # the next message to send, counted from the stream's beginning
        self._sent = 0  # the largest _cursor of all connections
        self._seq = 0

    def add(self, message: Message, numbered: bool) -> None:
        message = dict(message)
        if numbered:
            message.setdefault("seq", self._seq + 1)
        self._seq = message.get("seq", self._seq)
        words = len(split_words(message.get("text") or ""))
        self.words += words
        # A message without a number is acknowledged with the next one.
        self._entries.append(Entry(message.get("seq", self._seq + 0.5), message, words))

    @property
    def next(self) -> Optional[Message]:
        at = self._cursor - self._first
        return self._entries[at].message if at < len(self._entries) else None

    def sent(self) -> None:
        if self._cursor < self._sent:
            self.sent_again += 1
        self._cursor += 1
        self._sent = max(self._sent, self._cursor)

    def ack(self, seq: int) -> None:
        """Removes the messages up to this number, which the daemon has stored."""
        while self._entries and self._entries[0].sort_key <= seq:
            self.words -= self._entries.popleft().words
            self._first += 1
        self._cursor = max(self._cursor, self._first)

    def rewind(self, seq: int) -> None:
        """Makes `next` the first message after this number, for a new connection."""
        self._cursor = self._first + sum(1 for entry in self._entries if entry.sort_key <= seq)


class ChannelPosition:
    """How far a viewer has followed its channel."""

    def __init__(self) -> None:
        self._stream: Optional[str] = None
        self._event = 0
        self._missing = 0  # messages of the backlog that have not arrived yet

    @property
    def after(self) -> Optional[str]:
        return f"{self._stream}:{self._event}" if self._stream and self._missing == 0 else None

    def follow(self, message: Message) -> None:
        if message["type"] == "ready":
            if "after" not in message:
                backlog = message.get("backlog", {})
                self._stream, self._event = backlog.get("stream"), backlog.get("event", 0)
                self._missing = backlog.get("messages", 0)
        elif self._missing > 0:
            self._missing -= 1
        elif message["type"] == "state" and message["sender"]:
            self._stream, self._event = message["stream"], 0
        else:
            self._event = message.get("event", self._event)


def split_for_limits(words: list[str], limits: Message, size_of: Callable[[str], int]) -> list[str]:
    """Returns the words as texts, one for each message. Raises ValueError if a word is too long for a message."""
    lists: list[list[str]] = []
    max_bytes, room = limits["message_bytes"], 0
    for word in words:
        size = size_of(word) + 1
        if FRAME + size > max_bytes:
            raise ValueError(f"a word does not fit into a message, which may have {max_bytes} bytes")
        if size > room or len(lists[-1]) == limits["queued_words"]:
            lists.append([])
            room = max_bytes - FRAME
        lists[-1].append(word)
        room -= size
    return [join_words(portion) for portion in lists]
