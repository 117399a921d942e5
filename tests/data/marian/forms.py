#!/usr/bin/env python3
"""Writes the tiny model of hf/ in the other forms that Marian models are published in.

Needs only Python's standard library. The forms have the same weights:

  pytorch/  Hugging Face's files with pytorch_model.bin in place of model.safetensors
  legacy/   the same with PyTorch's format before version 1.6
  opus/     a checkpoint as OPUS-MT publishes it: NPZ, decoder.yml, vocab.yml, two SentencePiece models
  opus.zip  the files of opus/ in an archive
  deflated/ opus/ with a compressed NPZ
  binary/   Marian's binary format in float32, with decoder.yml and vocab.yml
  ssru/     opus/ with a simpler simple recurrent unit in the decoder
  firefox/  Marian's binary format in 8 bits, gzip, an SSRU, two vocabularies of SentencePiece, a shortlist

usage: forms.py FOLDER_OF_HF OUTPUT
"""

import array
import collections
import gzip
import io
import json
import math
import pathlib
import pickle
import shutil
import struct
import sys
import types
import zipfile

FLOAT32, INT8, INTGEMM8 = 0x404, 0x101, 0x4101


def read_safetensors(file):
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            tensors[name] = (entry["shape"], array.array("f", data[begin:end]))
    return tensors


def transposed(shape, values):
    rows, columns = shape
    return [columns, rows], array.array("f", (values[r * columns + c] for c in range(columns) for r in range(rows)))


class Checkpoint:
    """The weights under Marian's names, in the order of the vocabulary without its padding."""

    def __init__(self, folder):
        self.folder = folder
        self.weights = read_safetensors(folder / "model.safetensors")
        self.settings = json.loads((folder / "config.json").read_text())
        self.vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        self.pieces = [piece for piece, _ in sorted(self.vocabulary.items(), key=lambda item: item[1])][:-1]
        self.width = self.settings["d_model"]

    def find(self, *names):
        return next(self.weights[name] for name in names if name in self.weights)

    def tensors(self, ssru=False):
        found = {}

        def linear(name, suffix, source):
            found[f"{name}_W{suffix}"] = transposed(*self.weights[source + ".weight"])
            shape, bias = self.weights[source + ".bias"]
            found[f"{name}_b{suffix}"] = ([1, *shape], bias)

        def norm(name, source):
            for ours, theirs in (("scale", "weight"), ("bias", "bias")):
                shape, values = self.weights[f"{source}_layer_norm.{theirs}"]
                found[f"{name}_ln_{ours}"] = ([1, *shape], values)

        def attention(name, source):
            for letter, part in zip("qkvo", ("q_proj", "k_proj", "v_proj", "out_proj")):
                linear(name, letter, f"{source}.{part}")
            norm(name + "_Wo", source)

        def recurrence(name, source):
            linear(name, "f", source + ".q_proj")
            found[name + "_W"] = transposed(*self.weights[source + ".v_proj.weight"])
            norm(name + "_ffn", source)

        for side in ("encoder", "decoder"):
            for layer in range(self.settings[side + "_layers"]):
                name, source = f"{side}_l{layer + 1}", f"model.{side}.layers.{layer}"
                if ssru and side == "decoder":
                    recurrence(name + "_rnn", source + ".self_attn")
                else:
                    attention(name + "_self", source + ".self_attn")
                if side == "decoder":
                    attention(name + "_context", source + ".encoder_attn")
                linear(name + "_ffn", "1", source + ".fc1")
                linear(name + "_ffn", "2", source + ".fc2")
                norm(name + "_ffn_ffn", source + ".final")
        shape, values = self.find("model.shared.weight", "model.decoder.embed_tokens.weight")
        found["Wemb"] = ([shape[0] - 1, shape[1]], values[: (shape[0] - 1) * shape[1]])
        shape, values = self.weights["final_logits_bias"]
        found["decoder_ff_logit_out_b"] = ([1, shape[1] - 1], values[: shape[1] - 1])
        return found

    def config(self, ssru=False, vocabularies=None):
        size = len(self.pieces)
        return {
            "type": "transformer",
            "dim-vocabs": vocabularies or [size, size],
            "dim-emb": self.width,
            "enc-depth": self.settings["encoder_layers"],
            "dec-depth": self.settings["decoder_layers"],
            "transformer-heads": self.settings["encoder_attention_heads"],
            "transformer-dim-ffn": self.settings["encoder_ffn_dim"],
            "transformer-ffn-depth": 2,
            "transformer-ffn-activation": self.settings["activation_function"],
            "transformer-decoder-autoreg": "rnn" if ssru else "self-attention",
            "dec-cell": "ssru" if ssru else "gru",
            "transformer-preprocess": "",
            "transformer-postprocess": "dan",
            "transformer-postprocess-emb": "d",
            "tied-embeddings": vocabularies is not None,
            "tied-embeddings-src": False,
            "tied-embeddings-all": vocabularies is None,
            "layer-normalization": False,
            "version": "v1.9.0",
        }


def yaml_text(values):
    """JSON's scalars and lists are YAML; a dictionary is written a line for each entry."""
    return "".join(f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}\n"
                   for key, value in values.items())  # fmt: skip


def settings_text(config):
    """Marian's own form: names without quotes."""
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in config.items())


# --- NPZ ---


def npy(kind, shape, data):
    dimensions = "".join(f"{d}, " for d in shape)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({dimensions}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def write_npz(file, tensors, config, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, (shape, values) in tensors.items():
            archive.writestr(name + ".npy", npy("<f4", shape, values.tobytes()))
        text = settings_text(config).encode() + b"\0"
        archive.writestr("special:model.yml.npy", npy("|i1", [len(text)], text))


# --- Marian's binary format ---


def padded(data):
    return data + bytes(-len(data) % 256)


def binary(items):
    """`items` are (name, type, shape, data)."""
    out = struct.pack("<QQ", 1, len(items))
    items = [(name.encode() + b"\0", kind, shape, padded(data)) for name, kind, shape, data in items]
    for name, kind, shape, data in items:
        out += struct.pack("<QQQQ", len(name), kind, len(shape), len(data))
    out += b"".join(name for name, *_ in items)
    for _, _, shape, _ in items:
        out += struct.pack(f"<{len(shape)}i", *shape)
    offset = ((len(out) + 8) // 256 + 1) * 256 - len(out) - 8
    return out + struct.pack("<Q", offset) + bytes(offset) + b"".join(data for *_, data in items)


def float_items(tensors, config):
    text = settings_text(config).encode() + b"\0"
    items = [(name, FLOAT32, shape, values.tobytes()) for name, (shape, values) in sorted(tensors.items())]
    return [*items, ("special:model.yml", INT8, [len(text)], text)]


def quantised(name, shape, values):
    """Matrices of products are stored transposed under their own shape, embeddings are not."""
    scale = struct.unpack("<f", struct.pack("<f", 127.0 / max(abs(v) for v in values)))[0]
    if not name.endswith("Wemb"):
        _, values = transposed(shape, values)
    whole = array.array("b", (max(-127, min(127, round(v * scale))) for v in values))
    return (name, INTGEMM8, shape, whole.tobytes() + struct.pack("<f", scale))


def is_matrix(name):
    return name.rsplit("_", 1)[-1].startswith("W") and "_ln_" not in name


def quantised_items(tensors, config, alphas=16.0):
    items = []
    for name, kind, shape, data in float_items(tensors, config):
        if kind == FLOAT32 and is_matrix(name):
            items.append(quantised(name, shape, tensors[name][1]))
            items.append((name + "_QuantMultA", FLOAT32, [1, 1], struct.pack("<f", alphas)))
        else:
            items.append((name, kind, shape, data))
    items.append(("none_QuantMultA", FLOAT32, [1, 1], struct.pack("<f", alphas)))
    return items


# --- Firefox ---


def read_varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def protobuf_fields(data):
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 2:
            size, at = read_varint(data, at)
        else:
            size = {0: None, 1: 8, 5: 4}[tag & 7]
            if size is None:
                size = read_varint(data, at)[1] - at
        yield tag >> 3, data[at : at + size]
        at += size


def sentencepiece_pieces(file):
    return [next(content for number, content in protobuf_fields(piece) if number == 1).decode()
            for field, piece in protobuf_fields(file.read_bytes()) if field == 1]  # fmt: skip


def rows_of(matrix, numbers):
    (_, width), values = matrix
    rows = array.array("f")
    for number in numbers:
        rows.extend(values[number * width : (number + 1) * width])
    return [len(numbers), width], rows


def firefox_tensors(checkpoint, source, target):
    tensors = checkpoint.tensors(ssru=True)
    embeddings = tensors.pop("Wemb")
    source, target = ([checkpoint.vocabulary[piece] for piece in pieces] for pieces in (source, target))
    tensors["encoder_Wemb"] = rows_of(embeddings, source)
    tensors["decoder_Wemb"] = rows_of(embeddings, target)
    bias = tensors["decoder_ff_logit_out_b"][1]
    tensors["decoder_ff_logit_out_b"] = ([1, len(target)], array.array("f", (bias[i] for i in target)))
    return tensors


def checksum(words):
    """hash_combine over 64-bit words, as Marian's hashMem has it."""
    seed = 0
    for word in words:
        seed ^= (word + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & (2**64 - 1)
        seed &= 2**64 - 1
    return seed


def shortlist(frequent, best, lists):
    """`lists` has the numbers of the target pieces of each source piece, as bytes of uint32."""
    offsets, size = [0], 0
    for chosen in lists:
        size += len(chosen) // 4
        offsets.append(size)
    body = struct.pack("<QQQQ", frequent, best, len(offsets), size)
    body += struct.pack(f"<{len(offsets)}Q", *offsets) + b"".join(lists)
    words = struct.unpack(f"<{len(body) // 8}Q", body[: len(body) // 8 * 8])
    return struct.pack("<QQ", 0xF11A48D5013417F5, checksum(words)) + body


# --- PyTorch ---


def with_torch_names(dump):
    """Calls `dump` with stand-ins for PyTorch's classes, which a pickle names."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2():
        pass

    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    utils._rebuild_tensor_v2 = _rebuild_tensor_v2
    torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch"})
    torch._utils = utils
    before = {name: sys.modules.get(name) for name in ("torch", "torch._utils")}
    sys.modules.update({"torch": torch, "torch._utils": utils})
    try:
        return dump(torch)
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class Storage:
    def __init__(self, key, values):
        self.key, self.values = key, values


class Tensor:
    def __init__(self, storage, shape):
        self.storage, self.shape = storage, tuple(shape)


def pickled(state, legacy):
    def dump(torch):
        class Pickler(pickle.Pickler):
            def persistent_id(self, value):
                if not isinstance(value, Storage):
                    return None
                identity = ("storage", torch.FloatStorage, value.key, "cpu", len(value.values))
                return (*identity, None) if legacy else identity

            def reducer_override(self, value):
                if not isinstance(value, Tensor):
                    return NotImplemented
                stride = [math.prod(value.shape[i + 1 :]) for i in range(len(value.shape))]
                return (torch._utils._rebuild_tensor_v2,
                        (value.storage, 0, value.shape, tuple(stride), False, collections.OrderedDict()))  # fmt: skip

        out = io.BytesIO()
        Pickler(out, protocol=2).dump(state)
        return out.getvalue()

    return with_torch_names(dump)


def state_of(weights):
    storages = [Storage(str(number), values) for number, (_, values) in enumerate(weights.values())]
    state = collections.OrderedDict(
        (name, Tensor(storage, shape)) for (name, (shape, _)), storage in zip(weights.items(), storages))
    return state, storages


def write_pytorch(file, weights):
    state, storages = state_of(weights)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickled(state, legacy=False))
        archive.writestr("archive/byteorder", b"little")
        for storage in storages:
            archive.writestr(f"archive/data/{storage.key}", storage.values.tobytes())
        archive.writestr("archive/version", b"3\n")


def write_legacy_pytorch(file, weights):
    state, storages = state_of(weights)
    out = b"".join(pickle.dumps(value, protocol=2) for value in
                   (0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}))  # fmt: skip
    out += pickled(state, legacy=True) + pickle.dumps([storage.key for storage in storages], protocol=2)
    for storage in storages:
        out += struct.pack("<q", len(storage.values)) + storage.values.tobytes()
    file.write_bytes(out)


# --- Folders ---


def write_transformers(folder, hf, write):
    shutil.copytree(hf, folder, ignore=shutil.ignore_patterns("model.safetensors"))
    write(folder / "pytorch_model.bin", read_safetensors(hf / "model.safetensors"))


def write_native(folder, checkpoint, model):
    folder.mkdir()
    for name in ("source.spm", "target.spm"):
        shutil.copyfile(checkpoint.folder / name, folder / name)
    vocabulary = {piece: number for number, piece in enumerate(checkpoint.pieces)}
    (folder / "opus.vocab.yml").write_text(yaml_text(vocabulary), encoding="utf-8")
    decoder = {"relative-paths": True, "models": [model], "vocabs": ["opus.vocab.yml"] * 2, "beam-size": 6}
    (folder / "decoder.yml").write_text(yaml_text(decoder), encoding="utf-8")
    return folder / model


def write_firefox(folder, checkpoint):
    folder.mkdir()
    pieces = []
    for side, name in (("source", "srcvocab.deen.spm"), ("target", "trgvocab.deen.spm")):
        shutil.copyfile(checkpoint.folder / f"{side}.spm", folder / name)
        pieces.append(sentencepiece_pieces(folder / name))
    config = checkpoint.config(ssru=True, vocabularies=[len(side) for side in pieces])
    items = quantised_items(firefox_tensors(checkpoint, *pieces), config)
    (folder / "model.deen.intgemm.alphas.bin.gz").write_bytes(gzip.compress(binary(items), mtime=0))
    chosen = struct.pack("<8I", *range(2, 10))  # of every source piece
    (folder / "lex.50.50.deen.s2t.bin").write_bytes(shortlist(4, 8, [chosen] * len(pieces[0])))


def main():
    hf, output = map(pathlib.Path, sys.argv[1:3])
    checkpoint = Checkpoint(hf)
    write_transformers(output / "pytorch", hf, write_pytorch)
    write_transformers(output / "legacy", hf, write_legacy_pytorch)
    write_npz(write_native(output / "opus", checkpoint, "opus.npz"), checkpoint.tensors(), checkpoint.config())
    write_npz(write_native(output / "deflated", checkpoint, "opus.npz"), checkpoint.tensors(), checkpoint.config(),
              zipfile.ZIP_DEFLATED)  # fmt: skip
    with zipfile.ZipFile(output / "opus.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((output / "opus").iterdir()):
            archive.write(file, file.name)
    write_native(output / "binary", checkpoint, "model.bin").write_bytes(
        binary(float_items(checkpoint.tensors(), checkpoint.config())))
    write_npz(write_native(output / "ssru", checkpoint, "opus.npz"), checkpoint.tensors(True), checkpoint.config(True))
    write_firefox(output / "firefox", checkpoint)


if __name__ == "__main__":
    main()
