"""Words as the daemon counts them.

Words are runs without white space, and each character of a script without spaces, with the marks on it and the signs
around it. The same rules are in model/text/unspaced.h.
"""

from __future__ import annotations

import re
from typing import Optional

UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u109f\u1780-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029"
    "\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
MARKS = (
    "\u0300-\u036f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u17b4-\u17d3\u3099\u309a\ufe00-\ufe0f"
)
OPENINGS = "(\\[{¡¿«‘“‚„‹「『（【《〈〔［｛〖〘〚｟｢"
SIGNS = (
    "!-/:-@\\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u303f\u30a0\u30fb\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20"
    "\uff3b-\uff40\uff5b-\uff65"
)
ANY_UNSPACED = re.compile(f"[{UNSPACED}]")
CLASSES = [(name, re.compile(f"[{characters}]")) for name, characters in
           (("mark", MARKS), ("unspaced", UNSPACED), ("opening", OPENINGS), ("sign", SIGNS))]  # fmt: skip


def class_of(character: str) -> str:
    return next((name for name, characters in CLASSES if characters.match(character)), "letter")


def split_words(text: str) -> list[str]:
    words: list[str] = []
    for run in text.split():
        words.extend(split_run(run) if ANY_UNSPACED.search(run) else [run])
    return words


def split_run(run: str) -> list[str]:
    words: list[str] = []
    last: Optional[str] = None  # the class of the word's last letter
    for character in run:
        its = class_of(character)
        divides = its == "unspaced" or (last == "unspaced" and its in ("letter", "opening"))
        if not words or (last is not None and divides):
            words.append("")
            last = None
        words[-1] += character
        if its in ("letter", "unspaced"):
            last = its
    return words


def space_between(text: str, following: str) -> str:
    """Returns "" or " ", the text between two words or texts that are joined."""

    def joins(character: str) -> bool:
        its = class_of(character)
        return its in ("unspaced", "mark") or (its != "letter" and character >= "\u3000")

    return "" if not text or not following or (joins(text[-1]) and joins(following[0])) else " "


def join_words(words: list[str]) -> str:
    text = ""
    for word in words:
        text += space_between(text, word) + word
    return text
