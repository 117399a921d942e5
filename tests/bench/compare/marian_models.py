"""Writes models of Marian's shapes that copy their source, so that a speed can be measured without a trained model.

Random weights never end a sentence. These have random weights, too, but small ones in the last matrix of each sub-layer: a
residual stream carries the tokens nearly unchanged. The cross-attention of the last decoder layer reads the source token at
the decoder's own position, by the highest frequencies of the sinusoids, which the embeddings leave free. A translation is
thus the source, its end included, and has a natural length. Each matrix is multiplied as in any other model.
"""

import argparse
import pathlib
import shutil
import sys

import numpy as np
import sentencepiece

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "data/marian"))
import forms  # noqa: E402

SIZE = 32000  # of the vocabulary
CARRIED = 0.1  # of a sub-layer in the residual stream
EMBEDDINGS = 3  # length of a row; that of a position is 0.7
SHARPNESS = 15  # of the cross-attention that copies
COPIED = 3  # its share in the residual stream
SHORTLIST = 50  # frequent pieces, and pieces for each piece
LARGEST = 5  # activation that 8 bits represent


class Shape:
    def __init__(self, width, ffn, decoder, ssru):
        self.width, self.ffn, self.decoder, self.ssru = width, ffn, decoder, ssru
        self.heads, self.encoder = 8, 6

    def config(self):
        return {
            "type": "transformer",
            "dim-vocabs": [SIZE, SIZE],
            "dim-emb": self.width,
            "enc-depth": self.encoder,
            "dec-depth": self.decoder,
            "transformer-heads": self.heads,
            "transformer-dim-ffn": self.ffn,
            "transformer-ffn-depth": 2,
            "transformer-ffn-activation": "relu" if self.ssru else "swish",
            "transformer-decoder-autoreg": "rnn" if self.ssru else "self-attention",
            "dec-cell": "ssru" if self.ssru else "gru",
            "transformer-preprocess": "",
            "transformer-postprocess": "dan",
            "transformer-postprocess-emb": "d",
            "transformer-no-projection": False,
            "transformer-guided-alignment-layer": "last",
            "tied-embeddings-all": True,
            "layer-normalization": False,
            "version": "v1.9.0",
        }


BASE = Shape(512, 2048, decoder=6, ssru=False)  # OPUS-MT's
TINY = Shape(256, 1536, decoder=2, ssru=True)  # Firefox's


class _Weights:
    """Tensors under Marian's names, as forms.py writes them: (shape, values)."""

    def __init__(self, shape):
        self.shape = shape
        self.random = np.random.default_rng(1)
        self.tensors = {}
        half, free = shape.width // 2, shape.width // shape.heads // 2
        # Sines and cosines of the highest frequencies. Sines of the lowest ones are 0 before a norm.
        self.positions = [*range(free), *range(half, half + free)]
        self.zeros = [*range(half - 8, half)]
        self.free = self.positions + self.zeros
        self._embeddings()
        for side, layers in (("encoder", shape.encoder), ("decoder", shape.decoder)):
            for layer in range(1, layers + 1):
                self._layer(side, f"{side}_l{layer}")
        self._copy(f"decoder_l{shape.decoder}_context")

    def add(self, name, values):
        self.tensors[name] = (list(values.shape), values.astype(np.float32))

    def matrix(self, rows, columns):
        return self.random.standard_normal((rows, columns), np.float32) * rows**-0.5

    def carried(self, rows, columns):
        values = CARRIED * self.matrix(rows, columns)
        values[:, self.free] = 0
        return values

    def _embeddings(self):
        # Norms of layers must not change the weight of a position: each row has the same mean and length.
        table = self.random.standard_normal((SIZE, self.shape.width), np.float32)
        table[:, self.free] = 0
        used = table.any(axis=0)
        table[:, used] -= table[:, used].mean(axis=1, keepdims=True)
        table *= EMBEDDINGS / np.linalg.norm(table, axis=1, keepdims=True)
        self.add("Wemb", table)
        self.add("decoder_ff_logit_out_b", np.zeros((1, SIZE)))

    def _linear(self, name, suffix, values):
        self.add(f"{name}_W{suffix}", values)
        self.add(f"{name}_b{suffix}", np.zeros((1, values.shape[1])))

    def _norm(self, name):
        self.add(name + "_ln_scale", np.ones((1, self.shape.width)))
        self.add(name + "_ln_bias", np.zeros((1, self.shape.width)))

    def _attention(self, name):
        width = self.shape.width
        for letter in "qkv":
            self._linear(name, letter, self.matrix(width, width))
        self._linear(name, "o", self.carried(width, width))
        self._norm(name + "_Wo")

    def _layer(self, side, name):
        width, ffn = self.shape.width, self.shape.ffn
        if side == "decoder" and self.shape.ssru:
            self._linear(name + "_rnn", "f", self.matrix(width, width))
            self.add(name + "_rnn_W", self.carried(width, width))
            self._norm(name + "_rnn_ffn")
        else:
            self._attention(name + "_self")
        if side == "decoder":
            self._attention(name + "_context")
        self._linear(name + "_ffn", "1", self.matrix(width, ffn))
        self._linear(name + "_ffn", "2", self.carried(ffn, width))
        self._norm(name + "_ffn_ffn")

    def _copy(self, name):
        width = self.shape.width
        head = SHARPNESS * np.eye(width)[:, self.positions]
        head[self.zeros] = -SHARPNESS / len(self.zeros)  # a norm has shifted all by the same
        for letter in "qk":
            self.add(f"{name}_W{letter}", np.tile(head, self.shape.heads))
        self.add(name + "_Wv", np.eye(width))
        self.add(name + "_Wo", COPIED * np.eye(width))


def _quantised(name, values):
    """In 8 bits, as forms.quantised() does it."""
    scale = np.float32(127) / np.abs(values).max()
    stored = values if name.endswith("Wemb") else values.T
    whole = np.rint(stored * scale).astype(np.int8)
    return (name, forms.INTGEMM8, list(values.shape), whole.tobytes() + scale.tobytes())


def _quantised_items(tensors, config):
    factor = np.float32(127 / LARGEST).tobytes()
    for name, kind, shape, data in forms.float_items(tensors, config):
        if kind == forms.FLOAT32 and forms.is_matrix(name):
            yield _quantised(name, tensors[name][1])
            yield (name + "_QuantMultA", forms.FLOAT32, [1, 1], factor)
        else:
            yield (name, kind, shape, data)
    yield ("none_QuantMultA", forms.FLOAT32, [1, 1], factor)


def _shortlist():
    """Each piece has the first ones, itself, and others up to the numbers of Firefox's shortlists."""
    random = np.random.default_rng(2)
    for piece in range(SIZE):
        others = random.integers(SIZE, size=SHORTLIST)
        yield np.unique([*range(SHORTLIST), piece, *others[1:]]).astype("<u4").tobytes()


def train_vocabulary(text, file):
    """Writes a SentencePiece model of `text`, with pieces that no text has up to SIZE."""
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_prefix=str(file.with_suffix("")),
        vocab_size=8000,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        eos_id=0,
        unk_id=1,
        bos_id=-1,
        pad_id=-1,
        minloglevel=2,
    )
    file.with_suffix(".vocab").unlink()
    data = file.with_suffix(".model").read_bytes()
    for number in range(len(forms.sentencepiece_pieces(file.with_suffix(".model"))), SIZE):
        piece = f"\u2402{number:05d}".encode()  # field 1: the piece; field 2: its score
        content = bytes([0x0A, len(piece)]) + piece + b"\x15" + np.float32(-99).tobytes()
        data += bytes([0x0A, len(content)]) + content
    file.write_bytes(data)


def write_opus(folder, vocabulary):
    """A checkpoint as OPUS-MT publishes it, in float32."""
    folder.mkdir()
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(vocabulary, folder / name)
    numbers = {piece: i for i, piece in enumerate(forms.sentencepiece_pieces(vocabulary))}
    (folder / "opus.vocab.yml").write_text(forms.yaml_text(numbers), encoding="utf-8")
    decoder = {"models": ["opus.npz"], "vocabs": ["opus.vocab.yml"] * 2}
    (folder / "decoder.yml").write_text(forms.yaml_text(decoder), encoding="utf-8")
    forms.write_npz(folder / "opus.npz", _Weights(BASE).tensors, BASE.config())


def write_firefox(folder, vocabulary):
    """A model as Firefox has it, in 8 bits."""
    folder.mkdir()
    shutil.copyfile(vocabulary, folder / "vocab.dede.spm")
    items = list(_quantised_items(_Weights(TINY).tensors, TINY.config()))
    (folder / "model.dede.intgemm.alphas.bin").write_bytes(forms.binary(items))
    lists = forms.shortlist(SHORTLIST, SHORTLIST, list(_shortlist()))
    (folder / "lex.50.50.dede.s2t.bin").write_bytes(lists)


def main():
    parser = argparse.ArgumentParser(description="Writes FOLDER/base, as OPUS-MT's, and FOLDER/tiny, as Firefox's.")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--text", required=True, type=pathlib.Path, help="text of which the vocabulary is learnt")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True)
    vocabulary = arguments.folder / "vocabulary.model"
    train_vocabulary(arguments.text, vocabulary)
    write_opus(arguments.folder / "base", vocabulary)
    write_firefox(arguments.folder / "tiny", vocabulary)


if __name__ == "__main__":
    main()
