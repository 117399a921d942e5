#!/usr/bin/env python3
"""Stores a training that is not finished as small differences from a shipped model, and restores it.

usage: unfinished.py store SHIPPED PACKAGE FILE | restore SHIPPED FILE PACKAGE

A difference is counted in two steps of the shipped 8-bit weights. The restored package has 16 bits and the metadata of the
run; `surtitle train --resume PACKAGE` continues it, without the state of the optimiser.
"""
import json
import lzma
import sys

import numpy as np

TYPES = {'F32': np.float32, 'F16': np.float16, 'I8': np.int8}
STEP = 2


def read(file):
    data = open(file, 'rb').read()
    begin = 8 + int.from_bytes(data[:8], 'little')
    header = json.loads(data[8:begin])
    metadata = header.pop('__metadata__', {})
    tensors = {name: np.frombuffer(data[begin + at['data_offsets'][0]:begin + at['data_offsets'][1]],
                                   TYPES[at['dtype']]).reshape(at['shape']) for name, at in header.items()}
    return tensors, metadata


def wide(tensors, name):
    """Returns a tensor in float32 and, of an 8-bit matrix, the scale of each row."""
    values = tensors[name].astype(np.float32)
    scale = tensors[name + '.scale'].astype(np.float32).reshape(-1, 1) if tensors[name].dtype == np.int8 else None
    return values if scale is None else values * scale, scale


def store(shipped, package, file):
    base, (new, metadata) = read(shipped)[0], read(package)
    parts, header = [], {'metadata': metadata, 'tensors': []}
    for name, tensor in new.items():
        before, scale = wide(base, name)
        change = tensor.astype(np.float32) - before
        part = change.astype(np.float16) if scale is None else \
            np.clip(np.round(change / scale / STEP), -127, 127).astype(np.int8)
        header['tensors'].append(name)
        parts.append(part.tobytes())
    text = json.dumps(header).encode()
    with lzma.open(file, 'wb', filters=[{'id': lzma.FILTER_LZMA2, 'preset': 6, 'lc': 0, 'lp': 0, 'pb': 0}]) as out:
        out.write(len(text).to_bytes(8, 'little') + text + b''.join(parts))


def restore(shipped, file, package):
    base = read(shipped)[0]
    data = lzma.open(file).read()
    begin = 8 + int.from_bytes(data[:8], 'little')
    stored = json.loads(data[8:begin])
    header, body = {'__metadata__': stored['metadata']}, b''
    for name in stored['tensors']:
        before, scale = wide(base, name)
        change = np.frombuffer(data, np.float16 if scale is None else np.int8, before.size, begin)
        begin += change.nbytes
        change = change.astype(np.float32).reshape(before.shape)
        values = (before + (change if scale is None else change * scale * STEP)).astype(np.float16).tobytes()
        header[name] = {'dtype': 'F16', 'shape': list(before.shape), 'data_offsets': [len(body), len(body) + len(values)]}
        body += values
    text = json.dumps(header).encode()
    open(package, 'wb').write(len(text).to_bytes(8, 'little') + text + body)


if len(sys.argv) != 5 or sys.argv[1] not in ('store', 'restore'):
    sys.exit(__doc__)
{'store': store, 'restore': restore}[sys.argv[1]](*sys.argv[2:])
