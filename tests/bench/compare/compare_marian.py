#!/usr/bin/env python3
"""Compares the speed of imported models with that of CTranslate2 and of Firefox's engine, on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import pathlib

from comparison import ROOT, make_parser, run_engine


def parse_arguments():
    parser = make_parser(__doc__)
    parser.add_argument(
        "--text",
        default=ROOT / "tests/data/de-en/europarl.test.de",
        type=pathlib.Path,
        help="source text, a sentence on each line",
    )
    parser.add_argument("--sentences", default=200, type=int, help="lines of it, spread over all of it")
    parser.add_argument("--shapes", default=["tiny", "base"], nargs="+", choices=["tiny", "base"])
    parser.add_argument("--threads", default=[1, 2], nargs="+", type=int, help="numbers of threads")
    parser.add_argument("--batch", default=64, type=int, help="sentences at a time")
    parser.add_argument("--repetitions", default=3, type=int, help="after one that does not count")
    parser.add_argument(
        "--compute-types",
        default=["float32", "int8_float32"],
        nargs="+",
        metavar="TYPE",
        help="compute types of CTranslate2; float32 is compared with our float32, others with our 8 bits",
    )
    return parser.parse_args()


if __name__ == "__main__":
    run_engine("marian_engines", parse_arguments())
