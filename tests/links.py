#!/usr/bin/env python3
"""Checks the links of all Markdown files: each relative link leads to a file, and each anchor to a heading in it.

Addresses with a scheme, such as https:, are not checked. Code in fences, in indented blocks and between backticks is no link.

usage: tests/links.py [ROOT]
"""

import os
import pathlib
import re
import sys
import urllib.parse

import source_check

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
INLINE = re.compile(r"\]\(\s*(?:<([^>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:[ \t]*(?:<([^>]*)>|(\S+))")
NAMED = re.compile(r"<[^>]*\b(?:id|name)=[\"']([^\"']+)[\"']")
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")


def markdown_files(root):
    """Yields the Markdown files of the source: no build, no hidden folder, no package of others."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "node_modules" and not f.startswith((".", "build")))
        for file in sorted(files):
            if file.endswith(".md"):
                yield pathlib.Path(folder) / file


def prose_lines(text):
    """Yields (number, line) outside of fences and indented code."""
    fence = None
    code_may_begin = True
    for number, line in enumerate(text.splitlines(), start=1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = None
            continue
        if mark:
            fence = mark.group(1)
            continue
        indented = line.startswith(("    ", "\t"))
        if indented and code_may_begin:
            continue
        code_may_begin = not line.strip()
        yield number, line


def anchor_of(heading):
    """Returns the anchor that GitHub gives a heading: letters, digits, hyphens and underscores, in lower case."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return text.replace(" ", "-")


def anchors(text):
    """Returns all anchors of a document; a repeated heading gets -1, -2 and so on."""
    found = set()
    counts = {}
    for _, line in prose_lines(text):
        found.update(NAMED.findall(line))
        heading = HEADING.match(line)
        if heading:
            anchor = anchor_of(heading.group(1))
            count = counts.get(anchor, 0)
            counts[anchor] = count + 1
            found.add(f"{anchor}-{count}" if count else anchor)
    return found


def links(text):
    """Yields (line number, target) of each link and picture."""
    for number, line in prose_lines(text):
        line = CODE.sub("", line)
        for pattern in (INLINE, REFERENCE):
            for match in pattern.finditer(line):
                yield number, match.group(1) if match.group(1) is not None else match.group(2)


def check(root):
    """Returns the findings, one line each."""
    findings = []
    known = {}  # anchors by document

    def anchors_of(document):
        if document not in known:
            known[document] = anchors(document.read_text(encoding="utf-8"))
        return known[document]

    for file in markdown_files(root):
        for number, target in links(file.read_text(encoding="utf-8")):
            if SCHEME.match(target):
                continue
            path, _, anchor = target.partition("#")
            path, anchor = urllib.parse.unquote(path), urllib.parse.unquote(anchor)
            place = f"{file.relative_to(root).as_posix()}:{number}"
            linked = pathlib.Path(os.path.normpath(file.parent / path)) if path else file
            if path.startswith("/") or not linked.is_relative_to(root):
                findings.append(f"{place}: {target} leads out of the source")
            elif not linked.exists():
                findings.append(f"{place}: {target}: {linked.relative_to(root).as_posix()} does not exist")
            elif anchor and linked.suffix == ".md" and anchor not in anchors_of(linked):
                findings.append(f"{place}: {target}: {linked.relative_to(root).as_posix()} has no heading for #{anchor}")
    return findings


if __name__ == "__main__":
    sys.exit(source_check.run(check))
