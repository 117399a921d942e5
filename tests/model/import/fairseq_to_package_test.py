"""Checks which checkpoints the import rejects, and how it handles unusual ones.

SURTITLE_SOURCE_DIR names the repository.
"""

import collections
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

import torch

ROOT = pathlib.Path(os.environ["SURTITLE_SOURCE_DIR"])
sys.path[:0] = [str(ROOT / "model/import"), str(ROOT / "tests/model/import")]
import fairseq_checkpoint  # noqa: E402
import fairseq_to_package  # noqa: E402

GOLDEN = ROOT / "tests/golden/gma_model_tiny.safetensors"


class Bomb:
    """Runs a command if pickle.load() reads its pickle."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.system, (f"touch {self.file}",)


class Import(unittest.TestCase):
    metadata, tensors = fairseq_checkpoint.read_golden(GOLDEN)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for side in ("src", "tgt"):
            self.write_dictionary(side, int(self.metadata[f"{side}_vocab"]))

    def write_dictionary(self, side, tokens):
        text = fairseq_checkpoint.dictionary_text(tokens)
        (self.folder / f"dict.{side}.txt").write_text(text, encoding="utf-8")

    def checkpoint(self, **changes):
        return fairseq_checkpoint.checkpoint(self.metadata, self.tensors, **changes)

    def run_import(self, checkpoint, **how):
        """Returns the exit code and the text of stderr."""
        if checkpoint is not None:
            torch.save(checkpoint, self.folder / "model.pt", **how)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            code = fairseq_to_package.main(
                [
                    str(self.folder / "model.pt"),
                    *("--source-dict", str(self.folder / "dict.src.txt")),
                    *("--target-dict", str(self.folder / "dict.tgt.txt")),
                    *("--source-language", "de", "--target-language", "en"),
                    *("--output", str(self.folder / "package")),
                ]
            )
        return code, errors.getvalue()

    def assert_refused(self, checkpoint, message):
        code, errors = self.run_import(checkpoint)
        self.assertEqual(code, 1, errors)
        self.assertIn(message, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertFalse((self.folder / "package").exists())

    def assert_imported(self, checkpoint, **how):
        code, errors = self.run_import(checkpoint, **how)
        self.assertEqual(code, 0, errors)

    def description(self):
        return (self.folder / "package/model.yaml").read_text(encoding="utf-8")

    def weights(self):
        return (self.folder / "package/weights.safetensors").read_bytes()

    def test_writes_the_same_from_every_format(self):
        old = self.checkpoint()
        self.assert_imported(old)
        weights = self.weights()
        description = self.description()
        self.assert_imported(old, _use_new_zipfile_serialization=False)  # before torch 1.6
        self.assertEqual(self.weights(), weights)
        self.assert_imported(fairseq_checkpoint.newer(old))
        self.assertEqual(self.weights(), weights)
        self.assertEqual(self.description(), description)

    def test_runs_nothing_of_a_pickle(self):
        file = self.folder / "ran"
        self.assert_imported({**self.checkpoint(), "extra_state": Bomb(file)})
        self.assertFalse(file.exists())
        self.assert_refused_after_removal({**self.checkpoint(), "args": Bomb(file)}, "settings are missing")
        self.assertFalse(file.exists())

    def assert_refused_after_removal(self, checkpoint, message):
        for file in (self.folder / "package").iterdir():
            file.unlink()
        (self.folder / "package").rmdir()
        self.assert_refused(checkpoint, message)

    def test_finds_out_by_itself_what_is_shared_and_tied(self):
        checkpoint = self.checkpoint()
        table = checkpoint["model"]["decoder.embed_tokens.weight"]
        checkpoint["model"]["encoder.embed_tokens.weight"] = table.clone()
        checkpoint["model"]["decoder.embed_out"] = table + 1
        self.write_dictionary("src", table.shape[0])
        self.assert_imported(checkpoint)
        self.assertIn("  shared_embeddings: true\n", self.description())
        self.assertIn("  tied_output: false\n", self.description())
        self.assertIn(b"decoder.output_projection.weight", self.weights())
        self.assertNotIn(b"encoder.embed_tokens.weight", self.weights())

    def test_reads_delta_and_norm(self):
        checkpoint = self.checkpoint(
            delta=2.2, encoder_normalize_before=True, decoder_normalize_before=True
        )
        for stack in ("encoder", "decoder"):
            for kind in ("weight", "bias"):
                checkpoint["model"][f"{stack}.layer_norm.{kind}"] = torch.ones(
                    int(self.metadata["embed_dim"])
                )
        self.assert_imported(checkpoint)
        self.assertIn('default_policy: "gma:delta=2.2"\n', self.description())
        self.assertIn("  norm: pre\n", self.description())

    def test_keeps_half_precision(self):
        checkpoint = self.checkpoint()
        for name, tensor in checkpoint["model"].items():
            checkpoint["model"][name] = tensor.half()
        self.assert_imported(checkpoint)
        self.assertIn(b'"dtype": "F16"', self.weights())
        self.assertNotIn(b'"dtype": "F32"', self.weights())

    def test_names_settings_that_a_package_cannot_express(self):
        for name, value in (
            ("encoder_learned_pos", True),
            ("activation_fn", "gelu"),
            ("adaptive_softmax_cutoff", "100,200"),
            ("no_token_positional_embeddings", True),
        ):
            self.assert_refused(self.checkpoint(**{name: value}), f"'{name}' is {value!r}")
        self.assert_refused(
            self.checkpoint(encoder_normalize_before=True),
            "'encoder_normalize_before' is True and 'decoder_normalize_before' False",
        )
        self.assert_refused(
            self.checkpoint(decoder_attention_heads=1), "'decoder_attention_heads' 1; a package"
        )
        self.assert_refused(self.checkpoint(delta=None), "setting 'delta' is missing")

    def test_names_tensors_that_are_missing_or_too_many(self):
        def without(part):
            checkpoint = self.checkpoint()
            for name in [name for name in checkpoint["model"] if part in name]:
                del checkpoint["model"][name]
            return checkpoint

        self.assert_refused(without(".wp"), "must have Gaussian multi-head attention")
        self.assert_refused(
            without("encoder.layers.0.fc1.bias"), "tensor 'encoder.layers.0.fc1.bias' is missing"
        )
        self.assert_refused(without("encoder."), "tensors of an encoder and a decoder are missing")
        checkpoint = self.checkpoint()
        checkpoint["model"]["decoder.project_out_dim.weight"] = torch.zeros(2, 2)
        self.assert_refused(
            checkpoint, "tensor 'decoder.project_out_dim.weight' has no place in a package"
        )

    def test_names_what_is_no_checkpoint(self):
        (self.folder / "model.pt").write_bytes(b"nothing of the kind")
        self.assert_refused(None, "model.pt: not a checkpoint of torch: ")
        (self.folder / "model.pt").unlink()
        self.assert_refused(None, "No such file or directory")
        self.assert_refused([1, 2], "dictionary 'model' is missing")
        self.assert_refused({"model": collections.OrderedDict()}, "settings are missing")

    def test_holds_dictionaries_against_the_embeddings(self):
        rows = int(self.metadata["tgt_vocab"])
        self.write_dictionary("tgt", rows + 1)
        self.assert_refused(
            self.checkpoint(), f"dict.tgt.txt: {rows + 1} tokens, the 4 special ones included"
        )
        (self.folder / "dict.tgt.txt").unlink()
        self.assert_refused(self.checkpoint(), "No such file or directory")


if __name__ == "__main__":
    unittest.main()
