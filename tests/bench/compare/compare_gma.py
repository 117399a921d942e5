#!/usr/bin/env python3
"""Compares the speed of `surtitle evaluate` with that of the released GMA code on the same weights.

README.md in this folder describes the measurement and its requirements.
"""

import pathlib

from comparison import ROOT, make_parser, run_engine


def parse_arguments():
    parser = make_parser(__doc__)
    parser.add_argument(
        "--gma", required=True, metavar="PATH", help="a checkout of github.com/ictnlp/GMA"
    )
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


if __name__ == "__main__":
    run_engine("gma_engine", parse_arguments())
