"""Runs our engine, CTranslate2 and Firefox's engine in turn on models in Marian's forms."""

import argparse
import multiprocessing
import pathlib
import shutil
import subprocess
import tempfile
import time

import ctranslate2
import fxtranslate

from comparison import HEADER, Outcome, Surtitle, describe, describe_ours, load_tokenizer
from comparison import measure, print_row, read_lines
from ctranslate2_engine import CTranslate2, compute_types, worker_counts
import marian_models


class Text:
    """`count` lines, spread over the text. The models copy, so that they are also the reference."""

    def __init__(self, file, count, folder):
        lines = [line for line in read_lines(file) if line.strip()]
        # One space between words, as all of these programs normalise it.
        chosen = [" ".join(lines[i * len(lines) // count].split()) for i in range(count)]
        self.source = self.reference = folder / "text"
        self.source.write_text("\n".join(chosen) + "\n", encoding="utf-8")
        self.texts = chosen

    def tokenize(self, tokenizer):
        self.sources = [tokenizer.encode(text, out_type=str) for text in self.texts]


def _serve(model, vocabulary, shortlist, connection):
    translator = fxtranslate.Translator(
        model=model, src_vocab=vocabulary, trg_vocab=vocabulary, shortlist=shortlist
    )
    connection.send(translator.backend())
    while texts := connection.recv():
        connection.send([translator.translate(text) for text in texts])


class Firefox:
    """Firefox's engine translates a sentence at a time on one thread. A thread is a process with a share of the text."""

    def __init__(self, folder, threads, with_shortlist, tokenizer):
        model, vocabulary, lists = (
            next(folder.glob(name)).read_bytes() for name in ("model.*", "vocab.*", "lex.*")
        )
        self.tokenizer = tokenizer
        self.connections = []
        for _ in range(threads):
            ours, theirs = multiprocessing.Pipe()
            work = (model, vocabulary, lists if with_shortlist else None, theirs)
            multiprocessing.Process(target=_serve, args=work, daemon=True).start()
            self.connections.append(ours)
        backend = {connection.recv() for connection in self.connections}.pop()
        self.name = f"Firefox {backend} {threads}x1" + ", shortlist" * with_shortlist

    def translate(self, text):
        count = len(self.connections)
        begin = time.perf_counter()
        for i, connection in enumerate(self.connections):
            connection.send(text.texts[i::count])
        shares = [connection.recv() for connection in self.connections]
        seconds = time.perf_counter() - begin
        translations = [shares[i % count][i // count] for i in range(len(text.texts))]
        tokens = sum(len(self.tokenizer.encode(one)) + 1 for one in translations)
        return Outcome(translations, tokens, tokens / seconds)

    def close(self):
        for connection in self.connections:
            connection.send([])


def _import(surtitle, model, output):
    command = [surtitle, "import", "marian", model, "--output", output, "--from", "de", "--to", "de"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Comparison:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.vocabulary = folder / "vocabulary.spm"
        marian_models.train_vocabulary(arguments.text, self.vocabulary)
        self.tokenizer = load_tokenizer(folder, self.vocabulary.name)
        self.text = Text(arguments.text, arguments.sentences, folder)
        self.text.tokenize(self.tokenizer)

    def surtitle(self, package, batch, threads, precision):
        arguments = argparse.Namespace(surtitle=self.arguments.surtitle, model=package)
        return Surtitle(
            arguments, self.tokenizer, self.folder, "full-sentence", batch, threads, precision
        )

    def print(self, title, ours, theirs):
        pairs = measure(ours, theirs, self.text, self.arguments.repetitions)
        for row in (describe_ours([one for one, _ in pairs], title), describe(theirs.name, pairs)):
            print_row(row)
        copied = sum(map(str.__eq__, pairs[-1][0].texts, self.text.texts))
        if copied < len(self.text.texts):
            print(f"our engine copied only {copied} of {len(self.text.texts)} sentences")

    def run_tiny(self):
        model = self.folder / "firefox"
        marian_models.write_firefox(model, self.vocabulary)
        package = self.folder / "tiny"
        _import(self.arguments.surtitle, model, package)
        for threads in self.arguments.threads:
            for with_shortlist in (False, True):
                theirs = Firefox(model, threads, with_shortlist, self.tokenizer)
                for batch in (threads, self.arguments.batch):
                    ours = self.surtitle(package, batch, threads, "int8")
                    self.print(f"tiny int8 {threads} threads, batch {batch}", ours, theirs)
                theirs.close()

    def run_base(self):
        model = self.folder / "opus"
        marian_models.write_opus(model, self.vocabulary)
        package = self.folder / "base"
        _import(self.arguments.surtitle, model, package)
        converted = str(self.folder / "ctranslate2")
        ctranslate2.converters.OpusMTConverter(str(model)).convert(converted)
        shutil.rmtree(model)
        longest = max(map(len, self.text.sources)) + 1
        for compute_type in compute_types(self.arguments):
            precision = "float32" if compute_type == "float32" else "int8"
            for threads in self.arguments.threads:
                ours = self.surtitle(package, self.arguments.batch, threads, precision)
                for workers in worker_counts(threads):
                    theirs = CTranslate2(
                        converted,
                        compute_type,
                        workers,
                        threads // workers,
                        self.arguments.batch,
                        longest,
                        self.tokenizer,
                    )
                    self.print(f"base {precision} {threads} threads", ours, theirs)


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, pathlib.Path(folder))
        print(
            f"CTranslate2 {ctranslate2.__version__}, batch {arguments.batch}, {arguments.sentences} sentences, "
            f"median of {arguments.repetitions} repetitions\n"
        )
        print_row(HEADER)
        for shape in arguments.shapes:
            getattr(comparison, f"run_{shape}")()
