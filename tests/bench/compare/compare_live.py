#!/usr/bin/env python3
"""Compares live translation by Surtitle with re-translation by CTranslate2, on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import pathlib

from comparison import ROOT, add_ctranslate2, make_parser, run_engine


def parse_arguments():
    parser = make_parser(__doc__)
    add_ctranslate2(parser)
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


if __name__ == "__main__":
    run_engine("live_engine", parse_arguments())
