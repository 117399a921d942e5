"""Runs our engine and CTranslate2 in turn on test sets, and prints a table for each set.

There is only one CTranslate2 translator at a time: waiting threads of another one would change the
time for which its own threads spin before they sleep.
"""

import os
import tempfile
import time

import ctranslate2

from comparison import HEADER, Outcome, Surtitle, describe, describe_ours, load_tokenizer
from comparison import measure, print_row, read_lines
from ctranslate2_package import END, convert, source_tokens


class TestSet:
    def __init__(self, folder, name, tokenizer):
        self.name = name
        self.source = folder / f"{name}.de"
        self.reference = folder / f"{name}.en"
        self.sources = [
            source_tokens(tokenizer.encode(line, out_type=str)) for line in read_lines(self.source)
        ]


class CTranslate2:
    """Runs `workers` batches at the same time, each on `threads` threads.

    `longest`: the largest number of tokens of a translation, end of sentence included.
    """

    def __init__(self, model, compute_type, workers, threads, batch, longest, tokenizer):
        self.name = f"CTranslate2 {compute_type} {workers}x{threads}"
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
        results = self.translator.translate_batch(  # sorts by length before it makes batches
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


def compute_types(arguments):
    if "compute_types" in arguments:
        return arguments.compute_types
    types = ctranslate2.get_supported_compute_types("cpu")
    # int8 is the same as int8_float32 on a CPU.
    return sorted(types - {"int8"} if "int8_float32" in types else types)


def worker_counts(threads):
    """Either all threads share one batch, or each thread has a batch."""
    return sorted({1, threads})


class Comparison:
    def __init__(self, arguments, tokenizer, folder):
        self.arguments = arguments
        self.tokenizer = tokenizer
        self.model = os.path.join(folder, "model")
        convert(arguments.model, self.model)
        self.surtitle = Surtitle(
            arguments, tokenizer, folder, "full-sentence", arguments.batch, arguments.threads
        )

    def run(self, test_set):
        longest = max(map(self.surtitle.length, self.surtitle.translate(test_set).texts)) + 1
        rows = []
        all_ours = []
        for compute_type in compute_types(self.arguments):
            for workers in worker_counts(self.arguments.threads):
                theirs = CTranslate2(
                    self.model,
                    compute_type,
                    workers,
                    self.arguments.threads // workers,
                    self.arguments.batch,
                    longest,
                    self.tokenizer,
                )
                pairs = measure(self.surtitle, theirs, test_set, self.arguments.repetitions)
                rows.append(describe(theirs.name, pairs))
                all_ours += [ours for ours, _ in pairs]
        print(f"\n{test_set.name}: {len(test_set.sources)} sentences\n")
        for row in [HEADER, describe_ours(all_ours), *rows]:
            print_row(row)


def run(arguments):
    tokenizer = load_tokenizer(arguments.model)
    print(
        f"CTranslate2 {ctranslate2.__version__}, {arguments.threads} threads, "
        f"batch {arguments.batch}, median of {arguments.repetitions} repetitions"
    )
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, tokenizer, folder)
        for name in arguments.sets:
            comparison.run(TestSet(arguments.data, name, tokenizer))
