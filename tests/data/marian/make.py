#!/usr/bin/env python3
"""Makes the tiny Marian model of this folder and its golden numbers.

Writes into the script's folder: hf/, a MarianMT model of Hugging Face transformers with random weights, and golden.json.
`transformers` in golden.json are logits and greedy translations by the transformers library. `marian` and `ssru` are those
of the same weights in Marian's own computation, by the NumPy code below: positions as Marian has them, a first input of
zeros, layer norms with 1e-6, and for `ssru` a simpler simple recurrent unit in place of the decoder's self-attention.
forms.py has the rules by which these weights become Marian's files.

usage: make.py DE.txt EN.txt (a few hundred lines each; needs torch, transformers, sentencepiece and numpy)
"""

import json
import pathlib
import shutil
import sys

import forms
import numpy
import sentencepiece
import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parent
HF = FOLDER / "hf"
WIDTH, FFN, HEADS, LAYERS = 32, 48, 4, 2
SENTENCES = [
    "Guten Morgen, meine Damen und Herren.",
    "Das ist eine gute Frage, und wir haben 20 Antworten ☃.",
    "Europa",
]
# With these, translations vary and most of them end.
SEED, EMBEDDINGS, MATRICES, BIASES = 10, 0.12, 0.15, 0.3
STEPS = 12  # tokens of a translation at most
SHOWN = 2  # steps with logits


def train_vocabulary(text, name):
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(HF / name), vocab_size=180, character_coverage=0.995,
        normalization_rule_name="identity", eos_id=0, unk_id=1, bos_id=-1, pad_id=-1, num_threads=1,
        minloglevel=2)  # fmt: skip
    (HF / f"{name}.vocab").unlink()
    (HF / f"{name}.model").rename(HF / f"{name}.spm")
    model = sentencepiece.SentencePieceProcessor(model_file=str(HF / f"{name}.spm"))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def make_model(source_text, target_text):
    shutil.rmtree(HF, ignore_errors=True)
    HF.mkdir()
    pieces = train_vocabulary(source_text, "source") + train_vocabulary(target_text, "target")
    # The joint vocabulary of OPUS-MT also has characters that both SentencePiece models lack: here "☃".
    pieces = list(dict.fromkeys([*pieces, ">>deu<<", "☃", "<pad>"]))
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    (HF / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False, indent=0), encoding="utf-8")
    (HF / "tokenizer_config.json").write_text(
        json.dumps({"source_lang": "de", "target_lang": "en", "tokenizer_class": "MarianTokenizer"}))
    torch.manual_seed(SEED)
    padding = vocabulary["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary), d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS,
        encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, encoder_ffn_dim=FFN, decoder_ffn_dim=FFN,
        activation_function="swish", scale_embedding=True, static_position_embeddings=True,
        max_position_embeddings=128, pad_token_id=padding, eos_token_id=vocabulary["</s>"],
        decoder_start_token_id=padding, forced_eos_token_id=vocabulary["</s>"], tie_word_embeddings=True)  # fmt: skip
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            if "embed_tokens" in name or "shared" in name:
                torch.nn.init.normal_(tensor, std=EMBEDDINGS)
                tensor[padding] = 0
            elif "layer_norm" in name:
                torch.nn.init.normal_(tensor, std=1.0 if "weight" in name else 0.2)
            elif "embed_positions" not in name:
                torch.nn.init.normal_(tensor, std=MATRICES)
        model.final_logits_bias.normal_(std=BIASES)
    model.generation_config.bad_words_ids = [[padding]]
    model.save_pretrained(HF)
    return model


class Numbering:
    """Our ids: begin, padding, end, unknown, then all others in the order of the vocabulary."""

    def __init__(self, vocabulary):
        special = [vocabulary["</s>"], vocabulary["<unk>"]]
        skipped = {*special, vocabulary["<pad>"]}
        self.rows = [-1, -1, *special, *(i for i in sorted(vocabulary.values()) if i not in skipped)]
        self.ids = {row: number for number, row in enumerate(self.rows) if row >= 0}

    def logits(self, values):
        return [float(f"{values[row]:.6g}") if row >= 0 else -1e9 for row in self.rows]


def golden(sentences, numbering, encode, step):
    """`step(source, target)` returns the logits after the tokens `target`, with -1e9 for what may not be written."""
    cases = []
    for text in sentences:
        source, target, logits = encode(text), [], []
        while len(target) < STEPS:
            values = step(source, target)
            if len(logits) < SHOWN:
                logits.append(numbering.logits(values))
            target.append(int(numpy.argmax(values)))
            if numbering.ids[target[-1]] == 2:
                break
        cases.append({
            "source": text,
            "source_ids": [numbering.ids[i] for i in source],
            "target_ids": [numbering.ids[i] for i in target],
            "logits": logits,
        })  # fmt: skip
    return cases


def transformers_step(model, padding):
    def step(source, target):
        with torch.no_grad():
            values = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([[padding, *target]])).logits
        values = values[0, -1].numpy().astype(numpy.float64)
        values[padding] = -1e9
        return values

    return step


class Marian:
    """Marian's Transformer with norms after the sub-layers, from Marian's tensors."""

    def __init__(self, tensors, config):
        self.tensors = {name: numpy.array(values, numpy.float64).reshape(shape)
                        for name, (shape, values) in tensors.items()}  # fmt: skip
        self.ssru = config["transformer-decoder-autoreg"] == "rnn"

    def positions(self, length):
        half = WIDTH // 2
        angle = numpy.arange(length)[:, None] * numpy.power(1e-4, numpy.arange(half) / (half - 1))[None]
        return numpy.concatenate([numpy.sin(angle), numpy.cos(angle)], axis=1)

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        return x * self.tensors[name + "_ln_scale"][0] + self.tensors[name + "_ln_bias"][0]

    def linear(self, x, name, suffix):
        return x @ self.tensors[f"{name}_W{suffix}"] + self.tensors[f"{name}_b{suffix}"][0]

    def attention(self, x, memory, name, mask):
        q, k, v = (self.linear(y, name, s).reshape(len(y), HEADS, -1).transpose(1, 0, 2)
                   for y, s in ((x, "q"), (memory, "k"), (memory, "v")))  # fmt: skip
        scores = q @ k.transpose(0, 2, 1) / numpy.sqrt(q.shape[-1]) + mask
        weights = numpy.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        out = (weights @ v).transpose(1, 0, 2).reshape(len(x), WIDTH)
        return self.norm(self.linear(out, name, "o") + x, name + "_Wo")

    def recurrence(self, x, name):
        forget = 1 / (1 + numpy.exp(-self.linear(x, name, "f")))
        value = x @ self.tensors[name + "_W"]
        cell, out = numpy.zeros(WIDTH), []
        for f, v in zip(forget, value):
            cell = f * cell + (1 - f) * v
            out.append(numpy.maximum(cell, 0))
        return self.norm(numpy.array(out) + x, name + "_ffn")

    def feed_forward(self, x, name):
        inner = self.linear(x, name, "1")
        inner = inner / (1 + numpy.exp(-inner))
        return self.norm(self.linear(inner, name, "2") + x, name + "_ffn")

    def embed(self, rows):
        return rows * numpy.sqrt(WIDTH) + self.positions(len(rows))

    def encode(self, source):
        x = self.embed(self.tensors["Wemb"][source])
        for layer in range(1, LAYERS + 1):
            x = self.attention(x, x, f"encoder_l{layer}_self", 0)
            x = self.feed_forward(x, f"encoder_l{layer}_ffn")
        return x

    def step(self, source, target):
        memory = self.encode(source)
        table = self.tensors["Wemb"]
        x = self.embed(numpy.concatenate([numpy.zeros((1, WIDTH)), table[target].reshape(-1, WIDTH)]))
        causal = numpy.triu(numpy.full((len(x), len(x)), -1e9), 1)
        for layer in range(1, LAYERS + 1):
            name = f"decoder_l{layer}"
            x = self.recurrence(x, name + "_rnn") if self.ssru else self.attention(x, x, name + "_self", causal)
            x = self.attention(x, memory, name + "_context", 0)
            x = self.feed_forward(x, name + "_ffn")
        logits = x[-1] @ table.T + self.tensors["decoder_ff_logit_out_b"][0]
        logits[1] = -1e9  # Marian writes no unknown token
        return logits


def main():
    model = make_model(*sys.argv[1:3])
    tokenizer = transformers.MarianTokenizer.from_pretrained(HF)
    vocabulary = json.loads((HF / "vocab.json").read_text(encoding="utf-8"))
    numbering = Numbering(vocabulary)

    def encode(text):
        return tokenizer(text).input_ids

    numbers = {"transformers": golden(SENTENCES, numbering, encode, transformers_step(model, vocabulary["<pad>"]))}
    checkpoint = forms.Checkpoint(HF)
    for name, ssru in (("marian", False), ("ssru", True)):
        native = Marian(checkpoint.tensors(ssru), checkpoint.config(ssru))
        numbers[name] = golden(SENTENCES, numbering, encode, native.step)
    text = json.dumps(numbers, ensure_ascii=False, separators=(",", ":")).replace("},{", "},\n{")
    (FOLDER / "golden.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
