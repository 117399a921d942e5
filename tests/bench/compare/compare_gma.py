#!/usr/bin/env python3
"""Compares the speed of `surtitle evaluate` with that of the released GMA code on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import argparse
import pathlib
import sys

import gma_engine

ROOT = pathlib.Path(__file__).resolve().parents[3]


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--gma", required=True, metavar="PATH", help="a checkout of github.com/ictnlp/GMA"
    )
    parser.add_argument("--surtitle", default=ROOT / "build/surtitle", help="our program")
    parser.add_argument(
        "--model",
        default=ROOT / "model/pretrained/de-en-gma-small",
        type=pathlib.Path,
        help="a package with GMA and shared embeddings",
    )
    parser.add_argument(
        "--data", default=ROOT / "tests/data/de-en", type=pathlib.Path, help="folder of the sets"
    )
    parser.add_argument(
        "--sets", default=["tatoeba.test", "europarl.test"], nargs="+", help="NAME.de and NAME.en"
    )
    parser.add_argument("--sentences", default=40, type=int, help="sentences of each set")
    parser.add_argument("--delta", default=1.0, type=float, help="delta of GMA")
    parser.add_argument(
        "--their-threads", default=[1, 2], type=int, nargs="+", help="numbers to try for their code"
    )
    parser.add_argument("--threads", default=2, type=int, help="our threads, for many streams")
    parser.add_argument("--batch", default=64, type=int, help="number of streams, for many streams")
    parser.add_argument("--repetitions", default=5, type=int, help="runs of each measurement")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        gma_engine.run(arguments)
    except (OSError, ValueError) as error:
        sys.exit(f"compare_gma.py: {error}")


if __name__ == "__main__":
    main()
