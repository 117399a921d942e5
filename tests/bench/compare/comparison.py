"""Runs both engines in turn on test sets and prints a table of each.

A CTranslate2 translator lives alone: the waiting threads of another one would change how long its
own threads spin before they sleep.
"""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import ctranslate2
import sentencepiece

from ctranslate2_package import END, convert, source_tokens


def read_lines(file):
    # Not splitlines(): it splits at more characters than line feeds.
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


class TestSet:
    def __init__(self, folder, name, tokenizer):
        self.name = name
        self.source = folder / f"{name}.de"
        self.reference = folder / f"{name}.en"
        self.sources = [
            source_tokens(tokenizer.encode(line, out_type=str)) for line in read_lines(self.source)
        ]


class Outcome:
    """A test set translated once. Tokens count each sentence's end of sentence too."""

    def __init__(self, texts, tokens, tokens_per_second):
        self.texts = texts
        self.tokens = tokens
        self.tokens_per_second = tokens_per_second


class Surtitle:
    def __init__(self, arguments, tokenizer, folder):
        self.tokenizer = tokenizer
        self.output = pathlib.Path(folder, "surtitle.txt")
        self.command = [arguments.surtitle, "evaluate", "--policy", "full-sentence", "--json"]
        self.command += ["--model", arguments.model, "--output", self.output, "--device", "cpu"]
        self.command += ["--batch", str(arguments.batch), "--threads", str(arguments.threads)]

    def translate(self, test_set):
        files = ["--source", test_set.source, "--reference", test_set.reference]
        done = subprocess.run(self.command + files, check=True, stdout=subprocess.PIPE)
        texts = read_lines(self.output)
        # The program prints a speed without ends of sentences, and no count. The text's pieces are
        # the count, but for the odd word that the model wrote in other pieces.
        pieces = sum(map(self.length, texts))
        tokens = pieces + len(texts)
        speed = json.loads(done.stdout)["tokens_per_second"]
        return Outcome(texts, tokens, speed * tokens / pieces)

    def length(self, text):
        return len(self.tokenizer.encode(text))


class CTranslate2:
    """`workers` batches at the same time, each on `threads` threads. `longest`: most tokens of a
    translation, end of sentence included."""

    def __init__(self, model, compute_type, workers, threads, batch, longest, tokenizer):
        self.translator = ctranslate2.Translator(
            model,
            device="cpu",
            compute_type=compute_type,
            inter_threads=workers,
            intra_threads=threads,
        )
        self.batch = batch
        self.longest = longest
        self.tokenizer = tokenizer

    def translate(self, test_set):
        begin = time.perf_counter()
        results = self.translator.translate_batch(  # sorts by length before it cuts into batches
            test_set.sources,
            beam_size=1,
            max_batch_size=self.batch,
            max_decoding_length=self.longest,
            return_end_token=True,
        )
        seconds = time.perf_counter() - begin
        sentences = [result.hypotheses[0] for result in results]
        tokens = sum(map(len, sentences))
        texts = [self.tokenizer.decode([p for p in pieces if p != END]) for pieces in sentences]
        return Outcome(texts, tokens, tokens / seconds)


class Comparison:
    def __init__(self, arguments, tokenizer, folder):
        self.arguments = arguments
        self.tokenizer = tokenizer
        self.model = os.path.join(folder, "model")
        convert(arguments.model, self.model)
        self.surtitle = Surtitle(arguments, tokenizer, folder)

    def compute_types(self):
        if "compute_types" in self.arguments:
            return self.arguments.compute_types
        types = ctranslate2.get_supported_compute_types("cpu")
        # On a CPU int8 is int8_float32.
        return sorted(types - {"int8"} if "int8_float32" in types else types)

    def run(self, test_set):
        longest = max(map(self.surtitle.length, self.surtitle.translate(test_set).texts)) + 1
        rows = []
        all_ours = []
        for compute_type in self.compute_types():
            # All threads on one batch, and a batch for each thread.
            for workers in sorted({1, self.arguments.threads}):
                threads = self.arguments.threads // workers
                pairs = self.measure(test_set, compute_type, workers, threads, longest)
                rows.append(describe(f"CTranslate2 {compute_type} {workers}x{threads}", pairs))
                all_ours += [ours for ours, _ in pairs]
        print(f"\n{test_set.name}: {len(test_set.sources)} sentences\n")
        header = ("", "tokens", "tokens/s", "range", "ratio", "same", "load")
        for row in [header, describe_ours(all_ours), *rows]:
            print("{:<30}{:>8}{:>10}{:>14}{:>8}{:>8}{:>7}".format(*row), flush=True)

    def measure(self, test_set, compute_type, workers, threads, longest):
        """Pairs of outcomes, ours and theirs, one after the other."""
        theirs = CTranslate2(
            self.model,
            compute_type,
            workers,
            threads,
            self.arguments.batch,
            longest,
            self.tokenizer,
        )
        theirs.translate(test_set)  # warms it up
        return [
            (self.surtitle.translate(test_set), theirs.translate(test_set))
            for _ in range(self.arguments.repetitions)
        ]


def describe_speed(outcomes):
    speeds = [outcome.tokens_per_second for outcome in outcomes]
    return [f"{statistics.median(speeds):.0f}", f"{min(speeds):.0f}-{max(speeds):.0f}"]


def describe_ours(outcomes):
    return ["surtitle", outcomes[-1].tokens, *describe_speed(outcomes), "", "", ""]


def describe(name, pairs):
    ratio = statistics.median(a.tokens_per_second / b.tokens_per_second for a, b in pairs)
    ours, theirs = pairs[-1]
    same = sum(map(str.__eq__, ours.texts, theirs.texts)) / len(ours.texts)
    speed = describe_speed([outcome for _, outcome in pairs])
    load = f"{os.getloadavg()[0]:.1f}"
    return [name, theirs.tokens, *speed, f"{ratio:.2f}", f"{same:.1%}", load]


def run(arguments):
    tokenizer = sentencepiece.SentencePieceProcessor(
        model_file=str(arguments.model / "sentencepiece.model")
    )
    print(
        f"CTranslate2 {ctranslate2.__version__}, {arguments.threads} threads, "
        f"batch {arguments.batch}, median of {arguments.repetitions} repetitions"
    )
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, tokenizer, folder)
        for name in arguments.sets:
            comparison.run(TestSet(arguments.data, name, tokenizer))
