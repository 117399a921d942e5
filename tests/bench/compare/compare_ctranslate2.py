#!/usr/bin/env python3
"""Compares the speed of `surtitle evaluate` with that of CTranslate2, on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import argparse
import pathlib

from comparison import ROOT, add_ctranslate2, make_parser, run_engine


def parse_arguments():
    parser = make_parser(__doc__)
    add_ctranslate2(parser)
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


if __name__ == "__main__":
    run_engine("ctranslate2_engine", parse_arguments())
