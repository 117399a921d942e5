#!/usr/bin/env python3
"""Checks that comments, strings and Markdown are plain technical English: they contain none of the words in WORDS.

Of C++, CUDA, JavaScript, CSS and Python, comments and string literals are checked; of all other text files, the whole text.
Identifiers in those languages are not checked.

usage: tests/prose.py [FILE...]     without names: all files of the source
"""

import io
import os
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Text that is data, in any language, and the list of words itself.
DATA = ("model/recipes/text/", "tests/data/", "tests/fuzz/corpus/", "tests/golden/", "tests/prose.py",
        "daemon/translation/sentence_tables.cpp")

# Words of one phrase may be on two lines of a comment.
GAP = r"(?:\s|//|[#*])+"
WORDS = re.compile(
    r"\b(?:whoever|somebody|nobody|anew|likewise|so many|gone on|goes on|told|nothing where)\b".replace(" ", GAP),
    re.IGNORECASE,
)

# A file's kind by its suffix; other files are not checked, except those of NAMES.
KINDS = {
    ".cpp": "c", ".h": "c", ".cu": "c", ".cuh": "c",
    ".js": "js", ".mjs": "js", ".ts": "js", ".css": "css",
    ".py": "python",
    ".cmake": "text", ".html": "text", ".jq": "text", ".json": "text", ".md": "text", ".sh": "text", ".txt": "text",
    ".yaml": "text", ".yml": "text",
}  # fmt: skip
NAMES = ("CMakeLists.txt",)

# One token of C++: a comment, a raw string, a string or a character. A quote after a digit separates digits.
C_TOKEN = re.compile(
    r'//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
# One token of JavaScript. A slash after an operator or an opening bracket begins a regular expression.
JS_TOKEN = re.compile(
    r"//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/|`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|"
    r"(?<=[(,=:\[!&|?{};\n])[ \t]*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
CSS_TOKEN = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def all_files():
    """Yields the paths of the source: no build, no hidden folder, no packages of others."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f != "node_modules" and not f.startswith((".", "build")))
        for file in sorted(files):
            yield (pathlib.Path(folder) / file).relative_to(ROOT).as_posix()


def python_pieces(text):
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0], token.string


def pieces(kind, text):
    """Yields the first line and the text of each comment and string, or of the whole file."""
    if kind == "python":
        yield from python_pieces(text)
    elif kind == "text":
        yield 1, text
    else:
        token = {"c": C_TOKEN, "js": JS_TOKEN, "css": CSS_TOKEN}[kind]
        for found in token.finditer(text):
            yield text.count("\n", 0, found.start()) + 1, found.group()


def is_checked(path):
    return not path.startswith(DATA)


def check(path):
    """Returns the findings in a file, one line each."""
    file = ROOT / path
    kind = "text" if file.name in NAMES else KINDS.get(file.suffix)
    if kind is None or not is_checked(path) or not file.is_file():
        return []
    findings = []
    text = file.read_text(encoding="utf-8")
    for first_line, piece in pieces(kind, text):
        for found in WORDS.finditer(piece):
            line = first_line + piece.count("\n", 0, found.start())
            word = " ".join(re.sub(GAP, " ", found.group()).split())
            findings.append(f"{path}:{line}: '{word}' is not in the project's plain English; see tests/prose.py")
    return findings


def main():
    if any(argument.startswith("-") for argument in sys.argv[1:]):
        print("usage: tests/prose.py [FILE...]", file=sys.stderr)
        return 2
    if len(sys.argv) > 1:
        paths = [pathlib.Path(name).resolve().relative_to(ROOT).as_posix() for name in sys.argv[1:]]
    else:
        paths = all_files()
    findings = [finding for path in paths for finding in check(path)]
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
