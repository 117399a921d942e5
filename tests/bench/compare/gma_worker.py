"""Worker process that translates with the released GMA code.

gma_engine.py starts it with the checkout, a package's folder, delta and the number of threads.
Requests and answers are JSON lines. A request is {"mode": MODE, "sentences": [[id, ..], ..]}, with
the end of sentence in each sentence. An answer is {"tokens": [[id, ..], ..], "seconds": SECONDS}.

known: the whole source is given at the start; their own generator translates a sentence at a time.
live:  each step encodes the source that has been read and decodes the target so far, with their
       encoder and decoder. `generate` has the number of tokens that each step reads. No step
       therefore runs in vain, unlike in a real stream, which does not know these numbers.
"""

from argparse import Namespace
import json
import os
import sys
import time

import numpy
import torch
import yaml

from package_tensors import read_safetensors

PADDING, END = 1, 2


def import_released(checkout):
    """Makes their code importable: it expects NumPy before 1.20, and a GPU."""
    for name in ("bool", "float", "int"):
        if name not in numpy.__dict__:
            setattr(numpy, name, __builtins__.__dict__[name])
    on_any_device = torch.arange
    torch.arange = lambda *values, device=None, **rest: on_any_device(*values, **rest)
    sys.path.insert(0, checkout)


def make_dictionary(size):
    from fairseq.data import Dictionary

    dictionary = Dictionary()  # begins with our first four pieces
    for row in range(len(dictionary), size):
        dictionary.add_symbol(f"piece{row}")
    return dictionary


def load_model(package, delta):
    """Returns their model with the package's weights, and its dictionary."""
    from fairseq.models.transformer import TransformerModel

    with open(os.path.join(package, "model.yaml"), encoding="utf-8") as file:
        shape = yaml.safe_load(file)["architecture"]
    if shape["cross_attention"] != "gma" or not shape["shared_embeddings"]:
        raise ValueError(f"{package}: only GMA with shared embeddings can be compared")
    dictionary = make_dictionary(shape["target_vocabulary"])
    arguments = Namespace(
        encoder_embed_dim=shape["d_model"],
        encoder_ffn_embed_dim=shape["ffn"],
        encoder_layers=shape["encoder_layers"],
        encoder_attention_heads=shape["heads"],
        encoder_normalize_before=shape["norm"] == "pre",
        decoder_layers=shape["decoder_layers"],
        decoder_attention_heads=shape["heads"],
        decoder_normalize_before=shape["norm"] == "pre",
        share_all_embeddings=True,
        delta=delta,
        dropout=0.0,
    )
    task = Namespace(source_dictionary=dictionary, target_dictionary=dictionary)
    model = TransformerModel.build_model(arguments, task)
    arrays = read_safetensors(os.path.join(package, "weights.safetensors"))
    # The classifier of sentence starts is ours alone, and no part of a translation.
    tensors = {
        name: torch.from_numpy(array)
        for name, array in arrays.items()
        if not name.startswith("encoder.sentence_start.")
    }
    tensors["encoder.embed_tokens.weight"] = tensors["decoder.embed_tokens.weight"]
    # For weights of an older version, their code would drop the norm after the last layer.
    tensors["encoder.version"] = tensors["decoder.version"] = torch.Tensor([3])
    model.load_state_dict(tensors, strict=True)
    return model.eval(), dictionary


class Released:
    def __init__(self, package, delta):
        from fairseq.sequence_generator import SequenceGenerator

        self.model, dictionary = load_model(package, delta)
        self.generator = SequenceGenerator(dictionary)
        self.reads = {}  # source -> number of tokens that each step reads

    def known(self, source):
        tokens = torch.LongTensor([source])
        sample = {"src_tokens": tokens, "src_lengths": torch.LongTensor([len(source)])}
        best, reads, _ = self.generator.generate([self.model], {"net_input": sample})
        self.reads[tuple(source)] = reads[0]
        return best[0][0]["tokens"].tolist()

    @torch.no_grad()
    def live(self, source):
        target = [END]
        for read in self.reads[tuple(source)]:
            seen = torch.LongTensor([source[:read]])
            encoded = self.model.encoder(seen, torch.LongTensor([read]))
            step = len(target) - 1
            logits, _, _ = self.model.decoder(torch.LongTensor([target]), encoded, step=step)
            last = logits[0, -1]
            last[PADDING] = -torch.inf
            if step == 0:
                last[END] = -torch.inf
            target.append(int(last.argmax()))
        return target[1:]


def main():
    checkout, package, delta, threads = sys.argv[1:]
    import_released(checkout)
    torch.set_num_threads(int(threads))
    released = Released(package, float(delta))
    for line in sys.stdin:
        request = json.loads(line)
        if request["mode"] == "live":  # finds the reads of each step, which is not timed
            for source in request["sentences"]:
                if tuple(source) not in released.reads:
                    released.known(source)
        translate = getattr(released, request["mode"])
        begin = time.perf_counter()
        tokens = [translate(source) for source in request["sentences"]]
        seconds = time.perf_counter() - begin
        print(json.dumps({"tokens": tokens, "seconds": seconds}), flush=True)


if __name__ == "__main__":
    main()
