#!/usr/bin/env python3
"""Checks that every include runs downward: a file includes its own folder and the folders of lower layers.

The layers are the lines of the block ```layers in ARCHITECTURE.md, highest first. Folders on one line are side by side and
do not include each other. The check also fails if a folder with sources is missing from the list, or has no README.md.

usage: tests/layers.py [ROOT]
"""

import pathlib
import re
import sys

import source_check

TOPS = ("daemon", "metrics", "model", "policies")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def read_layers(document):
    """Returns the rank of each folder: 0 is the highest layer."""
    block = re.search(r"^```layers\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    if not block:
        raise SystemExit("ARCHITECTURE.md has no block ```layers")
    ranks = {}
    for rank, line in enumerate(block.group(1).splitlines()):
        for folder in line.split():
            if folder in ranks:
                raise SystemExit(f"ARCHITECTURE.md lists {folder} twice")
            ranks[folder] = rank
    return ranks


def sources(root):
    for top in TOPS:
        for pattern in ("*.cpp", "*.h", "*.cu", "*.cuh"):
            yield from sorted((root / top).rglob(pattern))


def check(root):
    """Returns the findings, one line each."""
    ranks = read_layers((root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    findings = []
    folders = set()
    for file in sources(root):
        path = file.relative_to(root).as_posix()
        folder = file.parent.relative_to(root).as_posix()
        folders.add(folder)
        if folder not in ranks:
            continue
        for included in INCLUDE.findall(file.read_text(encoding="utf-8")):
            target = pathlib.PurePosixPath(included).parent.as_posix()
            if target == folder or ranks.get(target, -1) > ranks[folder]:
                continue
            if target not in ranks:
                findings.append(f"{path} includes {included}, which is in no layer of ARCHITECTURE.md")
            else:
                findings.append(f"{path} includes {included}, which is not in a lower layer")
    for folder in sorted(folders - ranks.keys()):
        findings.append(f"{folder} is in no layer of ARCHITECTURE.md")
    for folder in sorted(ranks.keys() - folders):
        findings.append(f"ARCHITECTURE.md lists {folder}, which has no sources")
    for folder in sorted(folders):
        if not (root / folder / "README.md").is_file():
            findings.append(f"{folder} has no README.md")
    return findings


if __name__ == "__main__":
    sys.exit(source_check.run(check))
