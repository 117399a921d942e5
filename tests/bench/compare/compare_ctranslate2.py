#!/usr/bin/env python3
"""Compares the speed of `surtitle evaluate` with that of CTranslate2, on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import argparse
import pathlib
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
        "--data", default=ROOT / "tests/data/de-en", type=pathlib.Path, help="folder of the sets"
    )
    parser.add_argument(
        "--sets", default=["tatoeba.test", "europarl.test"], nargs="+", help="NAME.de and NAME.en"
    )
    parser.add_argument("--threads", default=2, type=int, help="total number of threads")
    parser.add_argument("--batch", default=64, type=int, help="sentences at a time")
    parser.add_argument("--repetitions", default=5, type=int, help="after one that does not count")
    parser.add_argument(
        "--compute-types",
        default=argparse.SUPPRESS,
        nargs="+",
        metavar="TYPE",
        help="compute types of CTranslate2, such as int8 (default: all that it has on this CPU)",
    )
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if "ctranslate2" in arguments:
        sys.path.insert(0, arguments.ctranslate2)
    allow_widest_vectors()
    import ctranslate2_engine  # imports ctranslate2, which needs the path

    try:
        ctranslate2_engine.run(arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"compare_ctranslate2.py: {error}")


if __name__ == "__main__":
    main()
