"""Where surtitle.py stands in a stream, so that it can go on there after a cut."""

import collections

FRAME = 128  # bytes of a source message beside its words

Entry = collections.namedtuple("Entry", "sort_key message words")


class UnackedQueue:
    """The messages that the daemon has not acknowledged, in order. `next` is the first one not sent on this connection, or None."""

    def __init__(self):
        self.words = 0
        self.sent_again = 0  # messages
        self._entries = collections.deque()
        self._first = 0  # how many were before those
        self._cursor = 0  # the next to send, counted from the beginning
        self._sent = 0  # on all connections
        self._seq = 0

    def add(self, message, numbered):
        message = dict(message)
        if numbered:
            message.setdefault("seq", self._seq + 1)
        self._seq = message.get("seq", self._seq)
        words = len((message.get("text") or "").split())
        self.words += words
        # A message without a number is acknowledged with the next one.
        self._entries.append(Entry(message.get("seq", self._seq + 0.5), message, words))

    @property
    def next(self):
        at = self._cursor - self._first
        return self._entries[at].message if at < len(self._entries) else None

    def sent(self):
        if self._cursor < self._sent:
            self.sent_again += 1
        self._cursor += 1
        self._sent = max(self._sent, self._cursor)

    def ack(self, seq):
        """The daemon has all messages up to this number."""
        while self._entries and self._entries[0].sort_key <= seq:
            self.words -= self._entries.popleft().words
            self._first += 1
        self._cursor = max(self._cursor, self._first)

    def rewind(self, seq):
        """On a new connection, all messages after this number are to be sent."""
        self._cursor = self._first + sum(1 for entry in self._entries if entry.sort_key <= seq)


class ChannelPosition:
    """How far a viewer has followed its channel."""

    def __init__(self):
        self._stream = None
        self._event = 0
        self._missing = 0  # messages of the beginning

    @property
    def after(self):
        return f"{self._stream}:{self._event}" if self._stream and self._missing == 0 else None

    def follow(self, message):
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


def split_for_limits(words, limits, size_of):
    """Texts of so many words as one message may have. Raises ValueError for a word that none can hold."""
    most, lists, room = limits["message_bytes"], [], 0
    for word in words:
        size = size_of(word) + 1
        if FRAME + size > most:
            raise ValueError(f"a word is longer than a message, which has {most} bytes")
        if size > room or len(lists[-1]) == limits["queued_words"]:
            lists.append([])
            room = most - FRAME
        lists[-1].append(word)
        room -= size
    return [" ".join(portion) for portion in lists]
