#!/usr/bin/env python3
"""Makes the text of the German-English recipes.

usage: prepare_text.py CORPORA OUTPUT

CORPORA has corpus/*.tsv.xz, de-en/, events/ and written/ as README.md describes them. The project's own text
is read from text/ beside this script. GROUP.de and GROUP.en are written to OUTPUT, one sentence a line. An empty
line separates two documents of a group whose lines are in spoken order; a recipe may join such lines.
"""
import glob
import lzma
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BREAK = ('', '')


def read_text(path):
    opener = lzma.open if path.endswith('.xz') else open
    with opener(path, 'rt', encoding='utf-8', newline='\n') as file:
        return [line.rstrip('\n') for line in file]


def tsv_pairs(path, names=False):
    """Returns the pairs of a file of tab-separated lines. Empty lines and titles ('# ...') separate documents."""
    pairs = []
    for line in read_text(path):
        fields = line.split('\t')
        if len(fields) < 2:
            if pairs and pairs[-1] != BREAK:
                pairs.append(BREAK)
        else:
            pairs.append(tuple(fields[-2:]))
    return pairs


def clean(pair):
    return tuple(' '.join(side.replace('\ufffd', ' ').split()) for side in pair)


def capitalised(pair):
    """Returns the pair with capitals in its English, if its German has them and its English does not."""
    german, english = pair
    if not (german[:1].isupper() and english[:1].islower()):
        return pair
    english = re.sub(r"\bi(?='|\b)", 'I', english)
    english = re.sub(r'([.!?] )([a-z])', lambda found: found[1] + found[2].upper(), english)
    return german, english[:1].upper() + english[1:]


def usable(pair):
    """Returns whether a pair is probably a translation."""
    german, english = (len(side.split()) for side in pair)
    if not german or not english or german > 90 or english > 90:
        return False
    if german + english > 8 and not 0.4 < english / german < 2.5:
        return False
    letters = sum(c.isalpha() for c in pair[1])
    return letters * 2 > len(pair[1].replace(' ', '')) or german < 6


# Hesitations and repetitions of speech, which a translation omits.
SOUNDS = ['äh', 'ähm', 'äh', 'öh', 'hm', 'ähm', 'also äh', 'ja äh', 'äh ja']
RESTARTED = re.compile(r'^(ich|wir|das|die|der|es|und|aber|wenn|dass|in|mit|auf|so|man|sie|er|ein|eine)$', re.I)


def hesitate(rng, german):
    words = []
    for index, word in enumerate(german.split()):
        draw = rng.random()
        if draw < 0.06:
            sound = rng.choice(SOUNDS)
            words += [sound[0].upper() + sound[1:] + ',' if index == 0 else sound + rng.choice(['', ',', ''])]
            if index == 0 and rng.random() < 0.5:
                word = word[0].lower() + word[1:] if RESTARTED.match(word) else word
        elif draw < 0.12 and RESTARTED.match(word):
            words += [word] if rng.random() < 0.6 else [word, word.lower()]
            word = word.lower()
        words.append(word)
    return ' '.join(words)


# Spelling before 1996.
OLD = [(r'\bdass\b', 'daß'), (r'\bDass\b', 'Daß'), (r'\bmuss\b', 'muß'), (r'\bmusste', 'mußte'), (r'\bmüsste', 'müßte'),
       (r'\bwusste', 'wußte'), (r'\bbewusst\b', 'bewußt'), (r'\blässt\b', 'läßt'), (r'\bEinfluss\b', 'Einfluß'),
       (r'\bProzess\b', 'Prozeß'), (r'\bkonnte\b', 'konnte'), (r'\bSchluss\b', 'Schluß'), (r'\bFluss\b', 'Fluß'),
       (r'\bbisschen\b', 'bißchen'), (r'\bAusschuss\b', 'Ausschuß'), (r'\bBeschluss\b', 'Beschluß'),
       (r'\baufwendig', 'aufwendig'), (r'\bvergisst\b', 'vergißt'), (r'\bisst\b', 'ißt'), (r'\bgewiss\b', 'gewiß'),
       (r'\bStängel', 'Stengel'), (r'\bfasst\b', 'faßt'), (r'\bpasst\b', 'paßt'), (r'\bmüsst\b', 'müßt'),
       (r'\bmusst\b', 'mußt'), (r'\brau\b', 'rauh'), (r'\bRad fahren\b', 'radfahren'), (r'\bim Allgemeinen\b', 'im allgemeinen')]


def old_spelling(german):
    for new, old in OLD:
        german = re.sub(new, old, german)
    return german


def swiss(german):
    return german.replace('ß', 'ss')


def variants(rng, pairs):
    """Returns other forms of text written for the project; every pair at most once."""
    made = []
    for german, english in pairs:
        draw = rng.random()
        if draw < 0.22:
            changed = hesitate(rng, german)
        elif draw < 0.25:
            changed = german.upper()
        elif draw < 0.35:
            changed = old_spelling(german)
        elif draw < 0.40:
            changed = swiss(german)
        elif draw < 0.42:
            changed = re.sub(r'([,;:.!?]) ', r'\1', german, count=2)
        else:
            continue
        if changed != german:
            made.append((changed, english))
    return made


def groups(corpora):
    for path in sorted(glob.glob(os.path.join(corpora, 'corpus', '*.tsv.xz'))):
        yield os.path.basename(path)[:-len('.tsv.xz')], tsv_pairs(path)
    for name in ('tatoeba', 'europarl'):
        base = os.path.join(corpora, 'de-en', name + '.train.')
        yield name, list(zip(read_text(base + 'de'), read_text(base + 'en')))
    for name, patterns in (
            ('debates', [corpora + '/written/speeches.train.tsv', HERE + '/text/debates*.tsv.xz']),
            ('talks', [corpora + '/written/talks/*.tsv', HERE + '/text/talks*.tsv.xz']),
            ('events', [corpora + '/events/*.tsv', HERE + '/text/events*.tsv.xz', HERE + '/text/everyday*.tsv.xz'])):
        pairs = []
        for pattern in patterns:
            for path in sorted(glob.glob(pattern)):
                pairs += tsv_pairs(path) + [BREAK]
        yield name, pairs


def write(output, name, pairs):
    with open(f'{output}/{name}.de', 'w', encoding='utf-8', newline='\n') as german, \
         open(f'{output}/{name}.en', 'w', encoding='utf-8', newline='\n') as english:
        for pair in pairs:
            german.write(pair[0] + '\n')
            english.write(pair[1] + '\n')
    print(f'{name}: {sum(pair != BREAK for pair in pairs)} pairs')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpora, output = sys.argv[1:]
    os.makedirs(output, exist_ok=True)
    rng = random.Random(1)
    spoken = []
    for name, pairs in groups(corpora):
        pairs = [clean(pair) for pair in pairs]
        pairs = [pair for pair in pairs if pair == BREAK or usable(pair)]
        if name == 'speech':
            pairs = [capitalised(pair) for pair in pairs]
        write(output, name, pairs)
        if name in ('debates', 'talks', 'events', 'speech', 'europarl'):
            spoken += [pair for pair in pairs if pair != BREAK]
    write(output, 'variants', variants(rng, spoken))
    figures = os.path.join(HERE, 'figures.py')
    if os.path.exists(figures):
        made = subprocess.run([sys.executable, figures, '60000', '1'], check=True, capture_output=True, text=True)
        write(output, 'figures', [tuple(line.split('\t')) for line in made.stdout.splitlines()])


if __name__ == '__main__':
    main()
