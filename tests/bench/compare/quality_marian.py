#!/usr/bin/env python3
"""Trains a small MarianMT with Hugging Face's transformers, and compares their translations with those of the imported model.

README.md in this folder describes the measurement and its requirements.
"""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import time

import sacrebleu
import sentencepiece
import torch
import transformers

from comparison import read_lines

ROOT = pathlib.Path(__file__).resolve().parents[3]
WIDTH, FFN, HEADS, LAYERS, PIECES = 128, 512, 4, 2, 4000
LONGEST = 60  # tokens of a sentence in training
BATCH = 64


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--surtitle", default=ROOT / "build/surtitle", help="our program")
    parser.add_argument("--train", required=True, type=pathlib.Path, help="NAME of NAME.de and NAME.en")
    parser.add_argument("--test", default=ROOT / "tests/data/de-en/tatoeba.test", type=pathlib.Path)
    parser.add_argument("--minutes", default=10, type=float, help="of training")
    parser.add_argument("--threads", default=1, type=int)
    parser.add_argument("--output", required=True, type=pathlib.Path, help="folder of the model; one that is there is only compared")
    return parser.parse_args()


def read_pair(name):
    return [read_lines(name.with_name(f"{name.name}.{language}")) for language in ("de", "en")]


def write_vocabulary(texts, folder):
    for name, lines in zip(("source", "target"), texts):
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_prefix=str(folder / name),
            vocab_size=PIECES,
            eos_id=0,
            unk_id=1,
            bos_id=-1,
            pad_id=-1,
            num_threads=1,
            minloglevel=2,
        )
        (folder / f"{name}.model").rename(folder / f"{name}.spm")
        (folder / f"{name}.vocab").unlink()
    models = [
        sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.spm"))
        for name in ("source", "target")
    ]
    pieces = [model.id_to_piece(i) for model in models for i in range(PIECES)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys([*pieces, "<pad>"]))}
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False), encoding="utf-8")
    settings = {"source_lang": "de", "target_lang": "en", "tokenizer_class": "MarianTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return transformers.MarianTokenizer.from_pretrained(folder)


def make_model(vocabulary):
    padding, end = vocabulary["<pad>"], vocabulary["</s>"]
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary),
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=FFN,
        decoder_ffn_dim=FFN,
        activation_function="swish",
        scale_embedding=True,
        max_position_embeddings=512,
        init_std=WIDTH**-0.5,
        dropout=0.1,
        pad_token_id=padding,
        eos_token_id=end,
        decoder_start_token_id=padding,
        forced_eos_token_id=end,
        tie_word_embeddings=True,
    )
    model = transformers.MarianMTModel(config)
    # `surtitle translate` writes no unknown token, either.
    model.generation_config.bad_words_ids = [[padding], [vocabulary["<unk>"]]]
    return model


def padded(sentences, padding):
    longest = max(map(len, sentences))
    return torch.tensor([tokens + [padding] * (longest - len(tokens)) for tokens in sentences])


def train(model, pairs, padding, minutes):
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    begin, update, epoch = time.monotonic(), 0, 0
    batches = []
    while (elapsed := (time.monotonic() - begin) / 60) < minutes:
        if not batches:
            pairs.sort(key=lambda pair: (len(pair[1]), random.random()))
            batches = [pairs[i : i + BATCH] for i in range(0, len(pairs), BATCH)]
            random.shuffle(batches)
            epoch += 1
        sources, targets = (padded(side, padding) for side in zip(*batches.pop()))
        update += 1
        # Rises over 500 updates, and falls to zero with the time.
        optimiser.param_groups[0]["lr"] = 2e-3 * min(update / 500, 1) * (1 - elapsed / minutes)
        # The first input is padding, which stands for the beginning.
        inputs = torch.cat([torch.full((len(targets), 1), padding), targets[:, :-1]], 1)
        logits = model(input_ids=sources, attention_mask=sources != padding, decoder_input_ids=inputs).logits
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=padding, label_smoothing=0.1
        )
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if update % 200 == 0:
            print(f"{elapsed:.1f} min, update {update}, epoch {epoch}, loss {loss:.2f}", flush=True)


def translate_with_transformers(model, tokenizer, lines):
    translations = []
    for i in range(0, len(lines), BATCH):
        batch = tokenizer(lines[i : i + BATCH], return_tensors="pt", padding=True)
        tokens = model.generate(**batch, num_beams=1, do_sample=False, max_new_tokens=200)
        translations += tokenizer.batch_decode(tokens, skip_special_tokens=True)
    return translations


def translate_with_surtitle(arguments, package, precision):
    output = arguments.output / f"surtitle.{precision}.en"
    output.unlink(missing_ok=True)
    command = [arguments.surtitle, "translate", "--model", package, "--beam", "1", "--output", output]
    command += ["--source", f"{arguments.test}.de", "--precision", precision]
    subprocess.run([*command, "--threads", str(arguments.threads)], check=True)
    return read_lines(output)


def compare(arguments, model, tokenizer):
    package = arguments.output / "package"
    shutil.rmtree(package, ignore_errors=True)
    subprocess.run(
        [arguments.surtitle, "import", "marian", arguments.output / "hf", "--output", package], check=True
    )
    lines, references = read_pair(arguments.test)
    with torch.no_grad():
        theirs = translate_with_transformers(model.eval(), tokenizer, lines)
    (arguments.output / "transformers.en").write_text("\n".join(theirs) + "\n", encoding="utf-8")

    def report(name, translations):
        same = sum(a.strip() == b.strip() for a, b in zip(translations, theirs)) / len(theirs)
        bleu = sacrebleu.corpus_bleu(translations, [references])
        print(f"{name:<20}BLEU {bleu.score:6.2f}   as transformers {same:6.1%}")

    report("transformers", theirs)
    for precision in ("float32", "int8"):
        report(f"surtitle {precision}", translate_with_surtitle(arguments, package, precision))


def train_new(arguments, folder):
    folder.mkdir(parents=True)
    texts = read_pair(arguments.train)
    tokenizer = write_vocabulary(texts, folder)
    sources, targets = tokenizer(texts[0]).input_ids, tokenizer(text_target=texts[1]).input_ids
    pairs = [pair for pair in zip(sources, targets) if max(map(len, pair)) <= LONGEST]
    vocabulary = tokenizer.get_vocab()
    model = make_model(vocabulary)
    train(model, pairs, vocabulary["<pad>"], arguments.minutes)
    model.save_pretrained(folder)
    return tokenizer, model


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    random.seed(1)
    folder = arguments.output / "hf"
    try:
        if folder.exists():
            tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
            model = transformers.MarianMTModel.from_pretrained(folder)
        else:
            tokenizer, model = train_new(arguments, folder)
        compare(arguments, model, tokenizer)
    except OSError as error:
        sys.exit(f"quality_marian.py: {error}")


if __name__ == "__main__":
    main()
