"""The tiny golden model in the format of fairseq, for the tests of the import.

As a program: fairseq_checkpoint.py GOLDEN FOLDER writes old.pt, new.pt and both dictionaries.
"""

import argparse
import collections
import json
import os
import struct
import sys

import torch

DTYPES = {"F32": torch.float32, "I64": torch.int64}


def read_golden(path):
    """Returns the metadata, and the tensors by name."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        block = torch.frombuffer(bytearray(data[begin:end]), dtype=DTYPES[entry["dtype"]])
        tensors[name] = block.reshape(entry["shape"])
    return metadata, tensors


def state_of(tensors):
    """Returns the released code's model.state_dict(), with its buffers and marks of sinusoids."""
    state = collections.OrderedDict()
    for name, tensor in tensors.items():
        if name.startswith(("encoder.", "decoder.")):
            state[name] = tensor
    for stack in ("encoder", "decoder"):
        state[f"{stack}.version"] = torch.Tensor([3])
        state[f"{stack}.embed_positions._float_tensor"] = torch.zeros(1)
    return state


def settings_of(metadata):
    sizes = {
        "embed_dim": int(metadata["embed_dim"]),
        "ffn_embed_dim": int(metadata["ffn_dim"]),
        "layers": int(metadata["layers"]),
        "attention_heads": int(metadata["heads"]),
        "normalize_before": metadata["normalize_before"] != "0",
        "learned_pos": False,
    }
    settings = {
        f"{stack}_{name}": size for stack in ("encoder", "decoder") for name, size in sizes.items()
    }
    settings.update(
        arch="transformer",
        delta=float(metadata["delta"]),
        activation_fn="relu",
        share_decoder_input_output_embed=True,
        share_all_embeddings=False,
        adaptive_softmax_cutoff=None,
        no_token_positional_embeddings=False,
        left_pad_source="False",
    )
    return settings


class Meter:
    """Replaces objects of fairseq's own classes in a checkpoint."""

    def __init__(self):
        self.sum = 1.5


def checkpoint(metadata, tensors, **changes):
    """Returns a checkpoint in the format of fairseq 0.8."""
    settings = settings_of(metadata)
    settings.update(changes)
    return {
        "args": argparse.Namespace(**settings),
        "model": state_of(tensors),
        "optimizer_history": [{"optimizer_name": "FairseqAdam", "num_updates": 7}],
        "extra_state": {"train_meters": collections.OrderedDict(train_loss=Meter())},
        "last_optimizer_state": {"state": {0: {"exp_avg": torch.zeros(3)}}},
    }


def newer(old):
    """Returns it in fairseq 0.12's format: settings in `cfg`, separate projections, named output."""
    state = collections.OrderedDict()
    for name, tensor in old["model"].items():
        if ".in_proj_" in name:
            attention, kind = name.split(".in_proj_")
            for part, rows in zip("qkv", tensor.chunk(3)):
                state[f"{attention}.{part}_proj.{kind}"] = rows.clone()
        else:
            state[name] = tensor
    state["decoder.output_projection.weight"] = state["decoder.embed_tokens.weight"]
    model = vars(old["args"])
    nested = {}
    for name, value in model.items():
        stack, _, inner = name.partition("_")
        if stack in ("encoder", "decoder"):
            nested.setdefault(stack, {})[inner] = value
        else:
            nested[name] = value
    return {**old, "args": None, "cfg": {"model": nested}, "model": state}


def dictionary_text(tokens):
    """A dictionary of `tokens` tokens, 4 special ones included; the first continues in the next."""
    return "tok@@ 9\n" + "".join(f"word{index} 1\n" for index in range(5, tokens))


def main(golden, folder):
    metadata, tensors = read_golden(golden)
    old = checkpoint(metadata, tensors)
    torch.save(old, os.path.join(folder, "old.pt"))
    torch.save(newer(old), os.path.join(folder, "new.pt"))
    for side in ("src", "tgt"):
        with open(os.path.join(folder, f"dict.{side}.txt"), "w", encoding="utf-8") as file:
            file.write(dictionary_text(int(metadata[f"{side}_vocab"])))


if __name__ == "__main__":
    main(*sys.argv[1:])
