"""Reads the weights of a Surtitle package."""

import json

import numpy as np

NUMBERS = {"F16": np.float16, "F32": np.float32, "I8": np.int8}
SCALE_SUFFIX = ".scale"


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
    # Each row of a matrix in 8 bits has a scale, as in model/package/tensor_values.h.
    for name in [name for name, entry in header.items() if entry["dtype"] == "I8"]:
        tensors[name] *= tensors.pop(name + SCALE_SUFFIX)[:, None]
    return tensors


def _to_float32(data, dtype):
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(data, NUMBERS[dtype]).astype(np.float32)
