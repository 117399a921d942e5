"""Live translation by re-translation, the way of WhisperLiveKit's in-process translator (nllw).

The sentence so far is translated again after each few words. There are two kinds of drafts:

- free: each is a new translation.
- agreed: the beginning that two successive drafts share is final, and further drafts continue it
  (local agreement, Liu et al. 2020).

As in nllw 0.1.6: a sentence of fewer than three words waits for more, a word that ends a sentence
is never agreed on, and at the sentence's end the last draft is final. Ends of sentences are given.
nllw agrees on tokens; here the shared beginning ends at whole words, so that no half word is shown.
"""

import dataclasses
import time

import ctranslate2

from ctranslate2_package import source_tokens

FEWEST_WORDS = 3
SENTENCE_ENDS = (".", "!", "?")
WORD_BEGIN = "\u2581"  # SentencePiece's sign for a space


@dataclasses.dataclass
class Sentence:
    words: list
    begin: int  # source words of the talk before it
    end: float  # source words of the talk when its end is known


@dataclasses.dataclass
class Update:
    """What is known of the open sentence's translation after one draft."""

    read: float  # source words of the talk so far
    seconds: float  # of computation
    agreed: list  # words that will not change
    draft: list  # all words, those included
    is_last: bool  # of the sentence


class Translator:
    """CTranslate2, one sentence at a time, greedily."""

    def __init__(self, model, compute_type, threads, tokenizer):
        self.translator = ctranslate2.Translator(
            model, device="cpu", compute_type=compute_type, inter_threads=1, intra_threads=threads
        )
        self.tokenizer = tokenizer

    def translate(self, words, prefix):
        """Returns pieces: a translation of `words` that begins with the pieces `prefix`."""
        pieces = self.tokenizer.encode(" ".join(words), out_type=str)
        results = self.translator.translate_batch(
            [source_tokens(pieces)], target_prefix=[prefix], beam_size=1, max_batch_size=1
        )
        return results[0].hypotheses[0]

    def words(self, pieces):
        return self.tokenizer.decode(pieces).split()


def _agreed(before, now, translator):
    """Returns the whole words that begin both drafts, as pieces, without the end of a sentence."""
    agreed = 0
    for at in range(min(len(before), len(now)) + 1):
        if all(at == len(draft) or draft[at].startswith(WORD_BEGIN) for draft in (before, now)):
            words = translator.words(now[:at])
            if words and words[-1].endswith(SENTENCE_ENDS):
                break
            agreed = at
        if at == min(len(before), len(now)) or before[at] != now[at]:
            break
    return now[:agreed]


def retranslate(translator, sentence, agrees, every):
    """Yields the updates of a sentence. It is translated every few words, and at its end."""
    agreed, before = [], []
    count = len(sentence.words)
    reads = {sentence.begin + words: words for words in range(every, count + 1, every)}
    reads[sentence.end] = count
    for read, words in sorted(reads.items()):
        is_last = read == sentence.end
        if words < FEWEST_WORDS and not is_last:
            continue
        begin = time.perf_counter()
        draft = translator.translate(sentence.words[:words], agreed)
        if agrees:
            agreed = max(agreed, _agreed(before, draft, translator), key=len)
        shown = translator.words(draft)
        final = shown if is_last else translator.words(agreed)
        yield Update(read, time.perf_counter() - begin, final, shown, is_last)
        before = draft
