"""Writes a Surtitle package as a CTranslate2 model folder.

Tensor names in a package are fairseq's, and this module follows CTranslate2's own fairseq converter
except for the encoder. Our encoder is causal, and CTranslate2 has no such option. Its bias by
relative position (T5's) has the same effect if it is minus infinity for all tokens to the right.

CTranslate2 gives a layer with that bias no position encodings. These therefore become a second
embedding table, which is added to the first, and each source token has its position: see
source_tokens(). Both cost very little, and the translations equal ours.

Only packages with dot-product cross-attention can be written.
"""

import os

from ctranslate2 import specs
from ctranslate2.specs import attention_spec
import numpy as np
import sentencepiece
import yaml

from package_tensors import read_safetensors

FIRST_POSITION = 2  # as in fairseq: one past the id of padding
POSITIONS = 2304  # as in model/torch/transformer.cpp

END = "</s>"
# CTranslate2's separator between the features of a token, U+FFE8.
SEPARATOR = "\uffe8"
# Tokens that CTranslate2 requires in each vocabulary, that of the positions included.
SPECIAL = ["<unk>", "<s>", END]

# The bias of T5's buckets of relative positions: the token itself, left, right, and further right.
RELATIVE_BIAS = [0, 0, -1e9, -1e9]
# Has no effect if all distances except the nearest share a bucket. Its logarithm must not be 0.
RELATIVE_DISTANCE = 2


def source_tokens(pieces):
    """Returns a sentence's pieces as input of the converted model."""
    return [f"{piece}{SEPARATOR}{position}" for position, piece in enumerate([*pieces, END])]


def _sinusoids(width):
    """Returns [POSITIONS, width]: sines in the first half, cosines in the second."""
    half = width // 2
    frequencies = np.exp(np.arange(half) * -(np.log(10000) / max(half - 1, 1)))
    angles = np.outer(np.arange(FIRST_POSITION, FIRST_POSITION + POSITIONS), frequencies)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


def _pieces(tokenizer, rows):
    pieces = [tokenizer.id_to_piece(token) for token in range(tokenizer.get_piece_size())]
    # fairseq pads a vocabulary to a multiple of 8. Each row without a piece needs a unique name.
    return pieces + [f"madeupword{row:04d}" for row in range(len(pieces), rows)]


class _Writer:
    """Copies tensors, by the name before ".weight" and ".bias", into parts of a spec."""

    def __init__(self, tensors, width):
        self.tensors = tensors
        self.width = width

    def linear(self, spec, name, weight=".weight", bias=".bias", rows=slice(None)):
        spec.weight = self.tensors[name + weight][rows]
        spec.bias = self.tensors[name + bias][rows]

    def norm(self, spec, name):
        spec.gamma = self.tensors[name + ".weight"]
        spec.beta = self.tensors[name + ".bias"]

    def self_attention(self, spec, layer):
        name = layer + "self_attn"
        self.linear(spec.linear[0], name, ".in_proj_weight", ".in_proj_bias")
        self.linear(spec.linear[1], name + ".out_proj")
        self.norm(spec.layer_norm, name + "_layer_norm")

    def cross_attention(self, spec, layer):
        name = layer + "encoder_attn"
        query, key_value = slice(None, self.width), slice(self.width, None)
        self.linear(spec.linear[0], name, ".in_proj_weight", ".in_proj_bias", query)
        self.linear(spec.linear[1], name, ".in_proj_weight", ".in_proj_bias", key_value)
        self.linear(spec.linear[2], name + ".out_proj")
        self.norm(spec.layer_norm, name + "_layer_norm")

    def feed_forward(self, spec, layer):
        self.linear(spec.linear_0, layer + "fc1")
        self.linear(spec.linear_1, layer + "fc2")
        self.norm(spec.layer_norm, layer + "final_layer_norm")

    def stack(self, spec, name):
        for index, layer_spec in enumerate(spec.layer):
            layer = f"{name}.layers.{index}."
            self.self_attention(layer_spec.self_attention, layer)
            if name == "decoder":
                self.cross_attention(layer_spec.attention, layer)
            self.feed_forward(layer_spec.ffn, layer)
        if f"{name}.layer_norm.weight" in self.tensors:
            self.norm(spec.layer_norm, f"{name}.layer_norm")


def _make_causal(encoder, heads):
    bias = np.repeat(np.float32(RELATIVE_BIAS)[:, None], heads, axis=1)
    for layer in encoder.layer:
        attention = attention_spec.MultiHeadAttentionSpec(
            self_attention=True, relative_attention_bias=True
        )
        attention.layer_norm = layer.self_attention.layer_norm
        attention.linear = layer.self_attention.linear
        attention.relative_attention_bias = bias
        attention.relative_attention_max_distance = np.int32(RELATIVE_DISTANCE)
        layer.self_attention = attention


def convert(package, output):
    """Reads the package in folder `package`, writes float32 weights into the folder `output`."""
    with open(os.path.join(package, "model.yaml"), encoding="utf-8") as file:
        description = yaml.safe_load(file)
    architecture = description["architecture"]
    if architecture["cross_attention"] != "dot-product":
        raise ValueError(
            f"{package}: cross_attention is {architecture['cross_attention']}; CTranslate2 has "
            "only dot-product"
        )
    tensors = read_safetensors(os.path.join(package, "weights.safetensors"))

    spec = specs.TransformerSpec.from_config(
        (architecture["encoder_layers"], architecture["decoder_layers"]),
        architecture["heads"],
        pre_norm=architecture["norm"] == "pre",
        num_source_embeddings=2,
        embeddings_merge=specs.EmbeddingsMerge.ADD,
    )
    width = architecture["d_model"]
    writer = _Writer(tensors, width)
    writer.stack(spec.encoder, "encoder")
    writer.stack(spec.decoder, "decoder")
    _make_causal(spec.encoder, architecture["heads"])

    sinusoids = _sinusoids(width)
    spec.decoder.position_encodings.encodings = sinusoids
    # CTranslate2 scales the sum of both source embeddings. We add positions to the scaled token.
    no_position = np.zeros((len(SPECIAL), width), np.float32)
    spec.encoder.embeddings[1].weight = np.concatenate([no_position, sinusoids / width**0.5])
    # A shared or tied matrix is in the package once, as the decoder's embeddings.
    table = tensors["decoder.embed_tokens.weight"]
    spec.decoder.embeddings.weight = table
    spec.encoder.embeddings[0].weight = tensors.get("encoder.embed_tokens.weight", table)
    spec.decoder.projection.weight = tensors.get("decoder.output_projection.weight", table)

    tokenizer = sentencepiece.SentencePieceProcessor(
        model_file=os.path.join(package, description["tokenizer"])
    )
    spec.register_source_vocabulary(_pieces(tokenizer, architecture["source_vocabulary"]))
    spec.register_source_vocabulary(SPECIAL + [str(position) for position in range(POSITIONS)])
    spec.register_target_vocabulary(_pieces(tokenizer, architecture["target_vocabulary"]))
    spec.config.decoder_start_token = spec.config.eos_token

    spec.validate()
    spec.optimize()
    os.makedirs(output, exist_ok=True)
    spec.save(output)
