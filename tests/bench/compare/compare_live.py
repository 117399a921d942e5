#!/usr/bin/env python3
"""Compares live translation by Surtitle with re-translation by CTranslate2, on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import argparse
import pathlib
import subprocess
import sys

from comparison import allow_widest_vectors

ROOT = pathlib.Path(__file__).resolve().parents[3]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--ctranslate2",
        default=argparse.SUPPRESS,
        metavar="FOLDER",
        help="folder of the Python package ctranslate2; not needed if Python finds it",
    )
    parser.add_argument("--surtitle", default=ROOT / "build/surtitle", help="our program")
    parser.add_argument(
        "--model",
        default=ROOT / "model/pretrained/de-en-multipath",
        type=pathlib.Path,
        help="a package with dot-product cross-attention",
    )
    parser.add_argument(
        "--source",
        default=ROOT / "tests/data/de-en/europarl.test.de",
        type=pathlib.Path,
        help="a talk, with case and punctuation",
    )
    parser.add_argument(
        "--reference",
        default=ROOT / "tests/data/de-en/europarl.test.en",
        type=pathlib.Path,
        help="its translation, line by line",
    )
    parser.add_argument("--limit", type=int, help="use only this number of lines from the start")
    parser.add_argument("--rate", default=2.5, type=float, help="words per second")
    parser.add_argument(
        "--policies",
        default=["alignatt:f=2", "alignatt:f=3", "wait-k:k=5", "full-sentence"],
        nargs="+",
        help="ours",
    )
    parser.add_argument(
        "--every", default=[1], type=int, nargs="+", help="source words from draft to draft"
    )
    parser.add_argument("--compute-type", default="int8", help="of CTranslate2")
    parser.add_argument("--threads", default=1, type=int, help="of both")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if "ctranslate2" in arguments:
        sys.path.insert(0, arguments.ctranslate2)
    allow_widest_vectors()
    import live_engine  # imports ctranslate2, which needs the path

    try:
        live_engine.run(arguments)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"compare_live.py: {error}")


if __name__ == "__main__":
    main()
