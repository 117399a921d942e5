"""Translates a talk live with our engine and by re-translation, and prints a table of both.

All of them write a log of SimulStream, which has the words that are taken back, and `surtitle
score` scores it.
"""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import ctranslate2

from comparison import load_tokenizer, read_lines
from ctranslate2_package import convert
from retranslation import Sentence, Translator, retranslate

# Name of a row, whether drafts agree, and the words on the screen after an update.
SHOWN = [
    ("each draft", False, lambda update: update.draft),
    ("whole sentences", False, lambda update: update.draft if update.is_last else []),
    ("agreed words and draft", True, lambda update: update.draft),
    ("agreed words", True, lambda update: update.agreed),
]

HEADER = ("", "BLEU", "AL", "DAL", "LongYAAL", "p50", "p95", "erased", "erasure")


class Talk:
    """The source and the reference as files, and our program."""

    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = pathlib.Path(folder)
        self.source = self.folder / arguments.source.name
        self.reference = self.folder / "reference.txt"
        for copy, lines in [
            (self.source, read_lines(arguments.source)),
            (self.reference, read_lines(arguments.reference)),
        ]:
            copy.write_text("\n".join(lines[: arguments.limit]) + "\n", encoding="utf-8")

    def run(self, *command):
        command = [str(part) for part in (self.arguments.surtitle, *command)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout

    def engine(self):
        model = ["--model", self.arguments.model, "--device", "cpu"]
        return [*model, "--threads", self.arguments.threads, "--rate", self.arguments.rate]

    def evaluate(self, policy):
        """Returns the folder of the files for scoring that `surtitle evaluate` writes."""
        files = self.folder / policy
        if files.exists():
            return files
        texts = ["--source", self.source, "--reference", self.reference]
        document = ["--document", "--policy", policy, "--scoring", files, "--json"]
        self.run("evaluate", *document, *texts, *self.engine())
        return files

    def score(self, log, files):
        segments = ["--segments", files / "segments.yaml", "--reference", files / "references.txt"]
        return json.loads(self.run("score", log, *segments, "--json"))["summary"]

    def sentences(self):
        """Returns the daemon's sentences, with the times at which their ends are known."""
        line = self.folder / "line.txt"  # lines of plain text would each be a sentence
        line.write_text(" ".join(read_lines(self.source)) + "\n", encoding="utf-8")
        log = self.folder / "instances.log"
        options = ["--offline", "--format", "text", "--policy", "full-sentence"]
        replay = ["replay", line, *options, "--instances", log, *self.engine()]
        self.run(*replay)
        # Only a run with a reference for each sentence has the times.
        reference = self.folder / "sentences.txt"
        reference.write_text("-\n" * len(read_lines(log)), encoding="utf-8")
        files = self.folder / "sentences"
        self.run(*replay, "--reference", reference, "--scoring", files)
        delays = json.loads((files / "hypothesis.jsonl").read_text(encoding="utf-8"))["delays"]
        sentences, read, written = [], 0, 0
        for instance in map(json.loads, read_lines(log)):
            words = instance["source"].split()
            end = read + len(words)
            if instance["prediction_length"]:
                written += instance["prediction_length"]
                known = round(delays[written - 1] * self.arguments.rate / 1000, 3)
                end = max(end, known)
            sentences.append(Sentence(words, read, end))
            read += len(words)
        return sentences


class Log:
    """A log of SimulStream, from what is on the screen."""

    def __init__(self, name, rate):
        self.rate = rate
        self.lines = [{"id": 0, "metadata": {"wav_name": name}}]
        self.closed = []  # words of the sentences before
        self.shown = []  # all words

    def show(self, update, words):
        now = self.closed + words
        same = len(os.path.commonprefix([self.shown, now]))
        if now != self.shown:
            self.lines.append(
                {
                    "id": 0,
                    "total_audio_processed": update.read / self.rate,
                    "computation_time": update.seconds,
                    "generated_tokens": now[same:],
                    "deleted_tokens": self.shown[same:],
                }
            )
        self.shown = now
        if update.is_last:
            self.closed = now

    def write(self, file):
        file.write_text("".join(json.dumps(line) + "\n" for line in self.lines), encoding="utf-8")


def print_row(row):
    print("{:<44}{:>7}{:>7}{:>7}{:>10}{:>7}{:>7}{:>8}{:>9}".format(*row), flush=True)


def describe(name, log, scores, rate):
    """Returns a row. Latencies are in words of speech, computation in ms."""
    updates = [json.loads(line) for line in read_lines(log)][1:]
    seconds = {}  # until everything of an update was shown
    for update in updates:
        read = update["total_audio_processed"]
        seconds[read] = max(seconds.get(read, 0), update["computation_time"])
    cuts = statistics.quantiles(seconds.values(), n=20, method="inclusive")
    erased = sum(len(update["deleted_tokens"]) for update in updates)
    written = sum(len(update["generated_tokens"]) for update in updates)
    latencies = [f"{scores[key] * rate / 1000:.2f}" for key in ("AL", "DAL", "LongYAAL")]
    times = [f"{1000 * cuts[at]:.1f}" for at in (9, 18)]
    erasure = f"{erased / (written - erased):.2f}"
    return [name, f"{scores['BLEU']:.2f}", *latencies, *times, erased, erasure]


class Comparison:
    def __init__(self, arguments, talk):
        self.arguments = arguments
        self.talk = talk
        self.files = talk.evaluate("full-sentence")
        self.sentences = talk.sentences()

    def print_row(self, name, log):
        scores = self.talk.score(log, self.files)
        print_row(describe(name, log, scores, self.arguments.rate))

    def run_ours(self, policy):
        self.print_row(f"surtitle {policy}", self.talk.evaluate(policy) / "simulstream.jsonl")

    def load_theirs(self):
        model = str(self.talk.folder / "model")
        convert(self.arguments.model, model)
        translator = Translator(
            model,
            self.arguments.compute_type,
            self.arguments.threads,
            load_tokenizer(self.arguments.model),
        )
        translator.translate(self.sentences[0].words, [])  # a warm-up
        return translator

    def run_theirs(self, translator, agrees, every):
        shown = [(name, view) for name, agreeing, view in SHOWN if agreeing == agrees]
        logs = [Log(self.arguments.source.name, self.arguments.rate) for _ in shown]
        for sentence in self.sentences:
            for update in retranslate(translator, sentence, agrees, every):
                for log, (_, view) in zip(logs, shown):
                    log.show(update, view(update))
        for log, (name, _) in zip(logs, shown):
            file = self.talk.folder / "retranslation.jsonl"
            log.write(file)
            self.print_row(f"{name}, every {every}", file)

    def run(self):
        words = sum(len(sentence.words) for sentence in self.sentences)
        print(f"{self.arguments.source.name}: {words} words, {len(self.sentences)} sentences")
        print(f"CTranslate2 {ctranslate2.__version__}, {self.arguments.compute_type}\n")
        print_row(HEADER)
        for policy in self.arguments.policies:
            self.run_ours(policy)
        translator = self.load_theirs()
        for every in self.arguments.every:
            for agrees in (False, True):
                self.run_theirs(translator, agrees, every)


def run(arguments):
    with tempfile.TemporaryDirectory() as folder:
        Comparison(arguments, Talk(arguments, folder)).run()
