"""Reads the weights of a Surtitle package."""

import json

import numpy as np


def read_safetensors(file):
    """Returns the tensors of a file: name -> float32 array."""
    with open(file, "rb") as stream:
        header = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
        body = stream.read()
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = _to_float32(body[begin:end], entry["dtype"]).reshape(entry["shape"])
    return tensors


def _to_float32(data, dtype):
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, {"F16": np.float16, "F32": np.float32}[dtype]).astype(np.float32)
