"""Shared by the comparisons: their arguments, our engine as a program, the result of a run, a row of the table."""

import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys

import sentencepiece

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADER = ("", "tokens", "tokens/s", "range", "ratio", "same", "load")


def read_lines(file):
    # splitlines() would split at more characters than line feeds.
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def load_tokenizer(package, name="sentencepiece.model"):
    return sentencepiece.SentencePieceProcessor(model_file=str(package / name))


def allow_widest_vectors():
    """Enables AVX-512 in CTranslate2's kernels, which otherwise use AVX2 and are a tenth slower."""
    cpu = pathlib.Path("/proc/cpuinfo")
    if cpu.exists() and " avx512bw " in cpu.read_text():
        os.environ.setdefault("CT2_FORCE_CPU_ISA", "AVX512")


def make_parser(description):
    """Returns a parser of arguments with those of every comparison."""
    parser = argparse.ArgumentParser(
        description=description.splitlines()[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--surtitle", default=ROOT / "build/surtitle", help="our program")
    return parser


def add_ctranslate2(parser):
    parser.add_argument(
        "--ctranslate2",
        default=argparse.SUPPRESS,
        metavar="FOLDER",
        help="folder of the Python package ctranslate2; not needed if Python finds it",
    )
    parser.add_argument(
        "--model",
        default=ROOT / "model/pretrained/de-en-multipath",
        type=pathlib.Path,
        help="a package with dot-product cross-attention",
    )


def run_engine(name, arguments):
    """Runs the comparison in the module `name`, which may import ctranslate2."""
    if "ctranslate2" in arguments:
        sys.path.insert(0, arguments.ctranslate2)
    allow_widest_vectors()
    try:
        importlib.import_module(name).run(arguments)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {error}")


class Outcome:
    """The result of one translation of a test set. Tokens include the end of each sentence."""

    def __init__(self, texts, tokens, tokens_per_second):
        self.texts = texts
        self.tokens = tokens
        self.tokens_per_second = tokens_per_second


class Surtitle:
    """Our engine. `arguments` has surtitle, our program, and model, a package.

    `folder` is for the texts that it writes.
    """

    def __init__(self, arguments, tokenizer, folder, policy, batch, threads, precision="auto"):
        self.tokenizer = tokenizer
        self.output = pathlib.Path(folder, "surtitle.txt")
        self.command = [arguments.surtitle, "evaluate", "--policy", policy, "--json"]
        self.command += ["--model", arguments.model, "--output", self.output, "--device", "cpu"]
        self.command += ["--batch", str(batch), "--threads", str(threads)]
        self.command += ["--precision", precision]

    def translate(self, test_set):
        files = ["--source", test_set.source, "--reference", test_set.reference]
        done = subprocess.run(self.command + files, check=True, stdout=subprocess.PIPE)
        texts = read_lines(self.output)
        # The program prints a speed without ends of sentences, and no count. The pieces of the text
        # are the count, except for a few words that the model wrote in other pieces.
        pieces = sum(map(self.length, texts))
        tokens = pieces + len(texts)
        speed = json.loads(done.stdout)["tokens_per_second"]
        return Outcome(texts, tokens, speed * tokens / pieces)

    def length(self, text):
        return len(self.tokenizer.encode(text))


def measure(ours, theirs, test_set, repetitions):
    """Returns pairs of outcomes, ours and theirs, of successive runs."""
    theirs.translate(test_set)  # a warm-up
    return [
        (ours.translate(test_set), theirs.translate(test_set)) for _ in range(repetitions)
    ]


def count_same(ours, theirs):
    """Returns the number of sentences with the same translation, letter by letter."""
    return sum(map(str.__eq__, ours.texts, theirs.texts))


def median_ratio(pairs):
    """Returns the median of our speed divided by theirs, over pairs of outcomes."""
    return statistics.median(a.tokens_per_second / b.tokens_per_second for a, b in pairs)


def describe_speed(outcomes):
    speeds = [outcome.tokens_per_second for outcome in outcomes]
    return [f"{statistics.median(speeds):.0f}", f"{min(speeds):.0f}-{max(speeds):.0f}"]


def describe_ours(outcomes, name="surtitle"):
    return [name, outcomes[-1].tokens, *describe_speed(outcomes), "", "", ""]


def describe(name, pairs):
    ours, theirs = pairs[-1]
    same = count_same(ours, theirs) / len(ours.texts)
    speed = describe_speed([outcome for _, outcome in pairs])
    load = f"{os.getloadavg()[0]:.1f}"
    return [name, theirs.tokens, *speed, f"{median_ratio(pairs):.2f}", f"{same:.1%}", load]


def print_row(row):
    print("{:<30}{:>8}{:>10}{:>14}{:>8}{:>8}{:>7}".format(*row), flush=True)
