"""Runs our engine and the released GMA code in turn on some sentences, and prints a table."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from comparison import HEADER, Outcome, Surtitle, count_same, describe, describe_ours
from comparison import load_tokenizer, median_ratio, print_row, read_lines

WORKER = pathlib.Path(__file__).with_name("gma_worker.py")
END = 2


class Sentences:
    """`count` lines of a test set, spread over all of it, in files of their own."""

    def __init__(self, folder, data, name, count):
        self.name = name
        self.source = pathlib.Path(folder, f"{name}.{count}.de")
        self.reference = pathlib.Path(folder, f"{name}.{count}.en")
        for file in (self.source, self.reference):
            lines = read_lines(data / f"{name}{file.suffix}")
            chosen = [lines[i * len(lines) // count] for i in range(count)]
            file.write_text("\n".join(chosen) + "\n", encoding="utf-8")
        self.texts = read_lines(self.source)


class Many:
    """The same sentences repeated, at least `minimum` of them."""

    def __init__(self, sentences, minimum):
        times = -(-minimum // len(sentences.texts))
        self.source = sentences.source.with_suffix(".many.de")
        self.reference = sentences.reference.with_suffix(".many.en")
        for one, many in ((sentences.source, self.source), (sentences.reference, self.reference)):
            many.write_bytes(one.read_bytes() * times)


def fast_kernels():
    """Returns variables that make OpenBLAS use AVX-512 if the CPU has it, as our training does."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), [])
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if "avx512dq" in flags else {}


class Released:
    """The released code in its own process, on `threads` threads."""

    def __init__(self, arguments, tokenizer, threads):
        self.tokenizer = tokenizer
        command = [sys.executable, WORKER, arguments.gma, arguments.model]
        command += [str(arguments.delta), str(threads)]
        # Two things make their code several times slower: threads that spin while they wait, on a
        # busy machine, and an OpenBLAS that does not recognise the CPU and uses slow kernels.
        environment = {"OMP_WAIT_POLICY": "passive", **fast_kernels(), **os.environ}
        environment["OMP_NUM_THREADS"] = str(threads)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def translate(self, mode, sentences):
        request = {"mode": mode, "sentences": [self.encode(text) for text in sentences.texts]}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise ValueError("the released code has failed; see its message above")
        answer = json.loads(line)
        tokens = sum(map(len, answer["tokens"]))
        texts = [self.tokenizer.decode([t for t in ids if t != END]) for ids in answer["tokens"]]
        return Outcome(texts, tokens, tokens / answer["seconds"])

    def encode(self, text):
        # A word at a time, as our engine does.
        return sum((self.tokenizer.encode(word) for word in text.split()), []) + [END]


class Comparison:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.tokenizer = load_tokenizer(arguments.model)

    def ours(self, batch, threads, precision="auto"):
        policy = f"gma:delta={self.arguments.delta:g}"
        return Surtitle(
            self.arguments, self.tokenizer, self.folder, policy, batch, threads, precision
        )

    def run(self, name):
        sentences = Sentences(self.folder, self.arguments.data, name, self.arguments.sentences)
        print(f"\n{name}: {len(sentences.texts)} sentences")
        rows = []
        one, all_streams = [], []
        for threads in self.arguments.their_threads:
            with Released(self.arguments, self.tokenizer, threads) as theirs:
                self.check(sentences, theirs)
                for mode in ("live", "known"):
                    runs = self.measure(sentences, theirs, mode)
                    one += [ours for ours, _, _ in runs]
                    all_streams += [ours for _, _, ours in runs]
                    rows.append((f"released, {mode}, {threads} threads", runs))
        print()
        print_row((*HEADER[:4], "one", "all", "load"))
        print_row(describe_ours(one, "surtitle, one stream"))
        print_row(describe_ours(all_streams, f"surtitle, {self.arguments.batch} streams"))
        for name, runs in rows:
            row = describe(name, [(ours, theirs) for ours, theirs, _ in runs])
            row[5] = f"{median_ratio([(many, theirs) for _, theirs, many in runs]):.1f}"
            print_row(row)

    def check(self, sentences, theirs):
        """Prints the number of equal translations in float32; also a warm-up of their code."""
        ours = self.ours(batch=1, threads=1, precision="float32").translate(sentences)
        for mode in ("known", "live"):
            outcome = theirs.translate(mode, sentences)
            same = count_same(ours, outcome)
            begun = sum(map(str.startswith, ours.texts, outcome.texts)) - same
            print(
                f"float32, {mode}: {same} of {len(ours.texts)} translations are the same, "
                f"{begun} are longer than theirs and begin with them",
                flush=True,
            )

    def measure(self, sentences, theirs, mode):
        """Returns triples of outcomes: ours with one stream, theirs, ours with many streams."""
        one = self.ours(batch=1, threads=1)
        many = self.ours(self.arguments.batch, self.arguments.threads)
        repeated = Many(sentences, minimum=16 * self.arguments.batch)
        return [
            (one.translate(sentences), theirs.translate(mode, sentences), many.translate(repeated))
            for _ in range(self.arguments.repetitions)
        ]


def run(arguments):
    module = pathlib.Path(arguments.gma, "fairseq/modules/gaussian_multihead_attention.py")
    if not module.exists():
        raise ValueError(f"{module} is missing; --gma must be a checkout of github.com/ictnlp/GMA")
    print(f"median of {arguments.repetitions} repetitions, delta {arguments.delta:g}")
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, folder)
        for name in arguments.sets:
            comparison.run(name)
