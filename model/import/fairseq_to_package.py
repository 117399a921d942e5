#!/usr/bin/env python3
"""Turns a fairseq checkpoint of Gaussian multi-head attention into a model package.

Reads checkpoints of GMA's released code (fairseq 0.8, settings in `args`) and of newer fairseqs
(settings in `cfg`, separate query, key and value projections). Needs torch and no fairseq.
A checkpoint is a pickle: tensors, containers and argparse.Namespace are read. All other objects
become inert, and no code of the pickle is run. If a package cannot express the model, the error
names the reason and no file is written.
"""

import argparse
import collections
import ctypes
import hashlib
import json
import os
import pickle
import re
import shutil
import struct
import sys
import zipfile

try:
    import torch
except ModuleNotFoundError:
    sys.exit(f"fairseq_to_package.py: {sys.executable} has no torch (Debian: python3-torch)")

SPECIAL_TOKENS = 4  # begin of sentence, padding, end of sentence, unknown
MAX_PADDING = 8  # an embedding has fewer rows than this without a token
LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}


class Unsupported(Exception):
    """The model cannot become a package, or the file is not a checkpoint; one line."""


# --- Reading a checkpoint ---


class Inert:
    """Replaces an object of a class that is not needed, and keeps its pickled state."""

    def __new__(cls, *args, **_named):
        inert = super().__new__(cls)
        inert.args = args
        inert.state = None
        return inert

    def __init__(self, *_args, **_named):
        pass

    def __setstate__(self, state):
        self.state = state

    def __call__(self, *args, **_named):
        return Inert(*args)

    def __setitem__(self, _key, _value):
        pass

    def append(self, _item):
        pass

    def extend(self, _items):
        pass


def rebuild_tensor(storage, offset, size, stride, *_rest):
    return storage.as_strided(size, stride, offset)


def rebuild_parameter(tensor, *_rest):
    return tensor


class CheckpointUnpickler(pickle.Unpickler):
    """Resolves the few classes of tensors and settings; all others become Inert.

    torch.load() cannot replace it: torch 1.13's accepts an unpickler and ignores it.
    """

    KNOWN = {
        ("collections", "OrderedDict"): collections.OrderedDict,
        ("argparse", "Namespace"): argparse.Namespace,
        ("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor,
        ("torch._utils", "_rebuild_parameter"): rebuild_parameter,
        ("torch", "Size"): torch.Size,
        ("torch", "DoubleStorage"): torch.float64,
        ("torch", "FloatStorage"): torch.float32,
        ("torch", "HalfStorage"): torch.float16,
        ("torch", "BFloat16Storage"): torch.bfloat16,
        ("torch", "LongStorage"): torch.int64,
        ("torch", "IntStorage"): torch.int32,
        ("torch", "ShortStorage"): torch.int16,
        ("torch", "CharStorage"): torch.int8,
        ("torch", "ByteStorage"): torch.uint8,
        ("torch", "BoolStorage"): torch.bool,
    }

    def __init__(self, file, storages=None):
        super().__init__(file, encoding="utf-8")
        self.storages = storages

    def find_class(self, module, name):
        return self.KNOWN.get((module, name), Inert)

    def persistent_load(self, identity):
        _kind, dtype, key, _location, count, *view = identity
        storage = self.storages(dtype, key, count)
        if view and view[0] is not None:
            _key, offset, count = view[0]
            storage = storage[offset : offset + count]
        return storage


def storage_of(data, dtype, count):
    """Returns a tensor of `count` elements, of which other tensors are views."""
    if not isinstance(dtype, torch.dtype):
        raise Unsupported("a tensor has an unknown type")
    size = count * torch.empty(0, dtype=dtype).element_size()
    if len(data) != size:
        raise Unsupported(f"a tensor has {len(data)} bytes, expected {size}")
    return torch.frombuffer(bytearray(data), dtype=dtype) if count else torch.empty(0, dtype=dtype)


def read_zip(file):
    """Reads the format of torch.save() since 1.6: a pickle, and a member for each storage."""
    with zipfile.ZipFile(file) as archive:
        (pickled,) = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        folder = pickled[: -len("data.pkl")]
        storages = {}

        def storage(dtype, key, count):
            if key not in storages:
                storages[key] = storage_of(archive.read(f"{folder}data/{key}"), dtype, count)
            return storages[key]

        with archive.open(pickled) as data:
            return CheckpointUnpickler(data, storage).load()


def read_legacy(file):
    """Reads the format of torch.save() before 1.6: several pickles, then the storages."""
    storages = {}

    def storage(dtype, key, count):
        if key not in storages:
            storages[key] = torch.empty(count, dtype=dtype)
        return storages[key]

    magic, _protocol, _system = (CheckpointUnpickler(file).load() for _ in range(3))
    if magic != LEGACY_MAGIC:
        raise Unsupported("it does not begin with the format's magic number")
    checkpoint = CheckpointUnpickler(file, storage).load()
    for key in CheckpointUnpickler(file).load():
        whole = storages[key]
        (count,) = struct.unpack("<q", file.read(8))
        if count != whole.numel():
            raise Unsupported(f"a tensor has {count} elements, expected {whole.numel()}")
        whole.copy_(storage_of(file.read(count * whole.element_size()), whole.dtype, count))
    return checkpoint


def load_checkpoint(path):
    with open(path, "rb") as file:
        try:
            zipped = zipfile.is_zipfile(file)
            file.seek(0)
            checkpoint = read_zip(file) if zipped else read_legacy(file)
        except Exception as error:  # a damaged file can cause any exception
            first_line = (str(error).splitlines() or [type(error).__name__])[0]
            raise Unsupported(f"{path}: not a checkpoint of torch: {first_line}") from None
    if not isinstance(checkpoint, dict) or not isinstance(checkpoint.get("model"), dict):
        raise Unsupported(f"{path}: not a fairseq checkpoint: dictionary 'model' is missing")
    return checkpoint


def plain(value):
    """Converts settings from namespaces and omegaconf objects to dictionaries and scalars."""
    if isinstance(value, argparse.Namespace):
        value = vars(value)
    if isinstance(value, Inert):
        state = value.state if isinstance(value.state, dict) else {}
        return plain(state.get("_content", state.get("_val")))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if isinstance(key, str)}
    return value


def settings_of(checkpoint, path):
    """Returns the model's settings under the names of fairseq's command line."""
    settings = plain(checkpoint.get("args"))
    if not isinstance(settings, dict):
        configuration = plain(checkpoint.get("cfg"))
        settings = configuration.get("model") if isinstance(configuration, dict) else None
    if not isinstance(settings, dict):
        raise Unsupported(f"{path}: settings are missing, neither 'args' nor 'cfg' is there")
    flat = {}
    for key, value in settings.items():
        if isinstance(value, dict):  # encoder: {embed_dim: 512}
            flat.update({f"{key}_{inner}": item for inner, item in value.items()})
        else:
            flat[key] = value
    return flat


# --- What a package can express ---

# Allowed values of settings that change the computation; None: the setting may be absent.
SUPPORTED = {
    "activation_fn": (None, "relu"),
    "adaptive_input": (None, False),
    "adaptive_softmax_cutoff": (None,),
    "cross_self_attention": (None, False),
    "decoder_learned_pos": (None, False),
    "encoder_learned_pos": (None, False),
    "layernorm_embedding": (None, False),
    "no_cross_attention": (None, False),
    "no_decoder_final_norm": (None, False),
    "no_scale_embedding": (None, False),
    "no_token_positional_embeddings": (None, False),
}
# Tensors that are not weights: buffers, and sinusoids that are computed.
LEFTOVERS = re.compile(r".*\.version|.*\.embed_positions\.(_float_tensor|weights)")


def check_settings(settings):
    for name, allowed in SUPPORTED.items():
        if settings.get(name) not in allowed:
            raise Unsupported(f"'{name}' is {settings[name]!r}, which a package cannot express")
    for encoder in ("encoder_normalize_before", "encoder_attention_heads"):
        decoder = encoder.replace("encoder", "decoder")
        if settings.get(encoder) != settings.get(decoder):
            raise Unsupported(
                f"'{encoder}' is {settings.get(encoder)!r} and '{decoder}' "
                f"{settings.get(decoder)!r}; a package has one for both"
            )
    if not isinstance(settings.get("encoder_attention_heads"), int):
        raise Unsupported("setting 'encoder_attention_heads' is missing")


class Weights:
    """The tensors of a checkpoint; each is taken once."""

    def __init__(self, tensors):
        self.left = {name: value for name, value in tensors.items() if torch.is_tensor(value)}
        self.taken = {}

    def has(self, name):
        return name in self.left

    def take(self, name, under=None):
        if name not in self.left:
            raise Unsupported(f"tensor '{name}' is missing")
        self.taken[under or name] = self.left.pop(name)

    def drop(self, name):
        self.left.pop(name, None)

    def take_linear(self, name):
        self.take(name + ".weight")
        self.take(name + ".bias")

    def take_attention(self, name):
        """Takes the packed projections of fairseq 0.8, or packs those of newer versions."""
        if self.has(name + ".q_proj.weight"):
            for kind in ("weight", "bias"):
                parts = [f"{name}.{part}_proj.{kind}" for part in "qkv"]
                missing = [part for part in parts if not self.has(part)]
                if missing:
                    raise Unsupported(f"tensor '{missing[0]}' is missing")
                self.taken[f"{name}.in_proj_{kind}"] = torch.cat(
                    [self.left.pop(part) for part in parts]
                )
        else:
            self.take(name + ".in_proj_weight")
            self.take(name + ".in_proj_bias")
        self.take_linear(name + ".out_proj")
        self.take_linear(name + "_layer_norm")

    def take_feed_forward(self, layer):
        for name in ("fc1", "fc2", "final_layer_norm"):
            self.take_linear(layer + name)

    def layers(self, stack):
        names = [re.match(rf"{stack}\.layers\.(\d+)\.", name) for name in self.left]
        return 1 + max((int(name.group(1)) for name in names if name), default=-1)


def same(left, right):
    return left.shape == right.shape and torch.equal(left, right)


def take_embeddings(weights, architecture):
    """Takes the tables. Equal tables are shared or tied, whatever the settings say."""
    source = weights.left.get("encoder.embed_tokens.weight")
    weights.take("decoder.embed_tokens.weight")
    target = weights.taken["decoder.embed_tokens.weight"]
    if source is None or source.dim() != 2 or target.dim() != 2:
        raise Unsupported("'encoder.embed_tokens.weight' is missing, or a table is not a matrix")
    architecture["source_vocabulary"] = source.shape[0]
    architecture["target_vocabulary"] = target.shape[0]
    architecture["shared_embeddings"] = same(source, target)
    if architecture["shared_embeddings"]:
        weights.drop("encoder.embed_tokens.weight")
    else:
        weights.take("encoder.embed_tokens.weight")
    architecture["tied_output"] = True
    for name in ("decoder.embed_out", "decoder.output_projection.weight"):
        if not weights.has(name):
            continue
        if same(weights.left[name], target):
            weights.drop(name)
        else:
            weights.take(name, under="decoder.output_projection.weight")
            architecture["tied_output"] = False


def convert(checkpoint, settings):
    """Returns the architecture in model.yaml's form, and the tensors under a package's names."""
    check_settings(settings)
    weights = Weights(checkpoint["model"])
    encoder_layers = weights.layers("encoder")
    decoder_layers = weights.layers("decoder")
    if not encoder_layers or not decoder_layers:
        raise Unsupported("the tensors of an encoder and a decoder are missing")
    if not weights.has("decoder.layers.0.encoder_attn.wp"):
        raise Unsupported(
            "tensor 'decoder.layers.0.encoder_attn.wp' is missing: the model must have Gaussian "
            "multi-head attention (the encoder of a plain fairseq Transformer cannot stream)"
        )
    architecture = {"heads": settings["encoder_attention_heads"]}
    architecture["encoder_layers"] = encoder_layers
    architecture["decoder_layers"] = decoder_layers
    take_embeddings(weights, architecture)
    for layer in range(encoder_layers):
        weights.take_attention(f"encoder.layers.{layer}.self_attn")
        weights.take_feed_forward(f"encoder.layers.{layer}.")
    for layer in range(decoder_layers):
        weights.take_attention(f"decoder.layers.{layer}.self_attn")
        weights.take_attention(f"decoder.layers.{layer}.encoder_attn")
        weights.take(f"decoder.layers.{layer}.encoder_attn.wp")
        weights.take(f"decoder.layers.{layer}.encoder_attn.vp")
        weights.take_feed_forward(f"decoder.layers.{layer}.")
    pre_norm = bool(settings.get("encoder_normalize_before"))
    if pre_norm:
        weights.take_linear("encoder.layer_norm")
        weights.take_linear("decoder.layer_norm")
    for name in weights.left:
        if not LEFTOVERS.fullmatch(name):
            raise Unsupported(f"tensor '{name}' has no place in a package")
    architecture["d_model"] = weights.taken["decoder.embed_tokens.weight"].shape[1]
    architecture["ffn"] = weights.taken["encoder.layers.0.fc1.weight"].shape[0]
    architecture["norm"] = "pre" if pre_norm else "post"
    architecture["cross_attention"] = "gma"
    return architecture, weights.taken


def check_dictionary(path, rows):
    with open(path, "rb") as file:
        tokens = sum(1 for _ in file) + SPECIAL_TOKENS
    if not 0 <= rows - tokens < MAX_PADDING:
        raise Unsupported(
            f"{path}: {tokens} tokens, the {SPECIAL_TOKENS} special ones included, for an "
            f"embedding of {rows} rows"
        )


# --- Writing a package ---


def tensor_bytes(tensor):
    tensor = tensor.detach().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def write_safetensors(path, tensors):
    header = {}
    blocks = []
    offset = 0
    for name, tensor in tensors.items():
        if tensor.dtype not in DTYPES:
            tensor = tensor.float()
        block = tensor_bytes(tensor)
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(block)],
        }
        offset += len(block)
        blocks.append(block)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for block in blocks:
            file.write(block)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)  # also a double-quoted scalar of YAML


def description_text(options, architecture, delta):
    fields = "".join(
        f"  {name}: {str(value).lower()}\n" for name, value in sorted(architecture.items())
    )
    return (
        "format: 1\n"
        f"name: {quoted(options.name)}\n"
        f"source_language: {quoted(options.source_language)}\n"
        f"target_language: {quoted(options.target_language)}\n"
        f"architecture:\n{fields}"
        f"tokenizer: {{type: dictionary, source: {quoted(options.source_file)}, "
        f"target: {quoted(options.target_file)}}}\n"
        'policies:\n  - "gma"\n'
        f'default_policy: "gma:delta={delta:g}"\n'
        f"training_data: {quoted(options.training_data)}\n"
        f"licence: {quoted(options.licence)}\n"
        f"origin: {quoted('fairseq checkpoint ' + os.path.basename(options.checkpoint))}\n"
    )


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def card_text(options, settings, delta):
    return (
        f"# {options.name}\n\n"
        f"Imported from the fairseq checkpoint `{os.path.basename(options.checkpoint)}` (SHA-256 "
        f"{sha256_of(options.checkpoint)}),\narchitecture `{settings.get('arch', 'unnamed')}`, trained with delta "
        f"{delta:g}.\n\n"
        "Its input is pre-tokenised text, as in its training: tokenised, and divided into the\n"
        "pieces of the dictionaries if those have `@@`. Its quality was not measured here.\n\n"
        f"Training data: {options.training_data or 'unknown'}\n\n"
        f"Licence: {options.licence or 'unknown'}\n"
    )


def write_package(options, architecture, tensors, settings):
    os.makedirs(options.output, exist_ok=True)
    delta = float(settings["delta"])
    for dictionary, name in (
        (options.source_dict, options.source_file),
        (options.target_dict, options.target_file),
    ):
        shutil.copyfile(dictionary, os.path.join(options.output, name))
    write_safetensors(os.path.join(options.output, "weights.safetensors"), tensors)
    for name, text in (
        ("MODEL_CARD.md", card_text(options, settings, delta)),
        ("model.yaml", description_text(options, architecture, delta)),
    ):
        with open(os.path.join(options.output, name), "w", encoding="utf-8") as file:
            file.write(text)


def parse_options(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("checkpoint", help="checkpoint of fairseq, a .pt file")
    parser.add_argument("--source-dict", required=True, help="fairseq's dict.SOURCE.txt")
    parser.add_argument("--target-dict", required=True, help="fairseq's dict.TARGET.txt")
    parser.add_argument("--source-language", required=True, help="such as de")
    parser.add_argument("--target-language", required=True, help="such as en")
    parser.add_argument("--output", required=True, help="folder of the package")
    parser.add_argument("--name", help="name of the model (default: the folder's)")
    parser.add_argument("--training-data", default="", help="one line about the data, for readers of the card")
    parser.add_argument("--licence", default="", help="licence of weights and text")
    options = parser.parse_args(arguments)
    options.name = options.name or os.path.basename(os.path.abspath(options.output))
    options.source_file = f"dict.{options.source_language}.txt"
    options.target_file = f"dict.{options.target_language}.txt"
    return options


def main(arguments):
    options = parse_options(arguments)
    try:
        if options.source_language == options.target_language:
            raise Unsupported("the languages must differ, because each names its dictionary's file")
        checkpoint = load_checkpoint(options.checkpoint)
        settings = settings_of(checkpoint, options.checkpoint)
        try:
            if not isinstance(settings.get("delta"), (int, float)):
                raise Unsupported("setting 'delta' is missing")
            architecture, tensors = convert(checkpoint, settings)
        except Unsupported as error:
            raise Unsupported(f"{options.checkpoint}: {error}") from None
        check_dictionary(options.source_dict, architecture["source_vocabulary"])
        check_dictionary(options.target_dict, architecture["target_vocabulary"])
        write_package(options, architecture, tensors, settings)
    except (Unsupported, OSError) as error:
        print(f"fairseq_to_package.py: {error}", file=sys.stderr)
        return 1
    print(f"{options.output}: written; check it with surtitle inspect", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
