"""The parts of voice.sh: a voice with known times, what happens to its words, and the report.

usage: voice.py speak TEXT WAV WORDS         speak a text by espeak-ng; write each word with the end of its sound
       voice.py tap PORT URL LOG             pass the messages of a recogniser's WebSocket on and log them
       voice.py stamp LOG                    pass the lines of standard input on and log them
       voice.py view URL LOG                 log the messages of a channel until it is killed
       voice.py run-on-cpu PROGRAM ARGUMENT...  run whisper_streaming, which asks for a GPU, on the processor
       voice.py report NAME WORDS RECOGNISED VIEWED PAGE

Logs have one JSON object a line, with `at`, the seconds on the machine's steady clock.
"""
import asyncio
import contextlib
import ctypes
import difflib
import html
import json
import re
import runpy
import statistics
import sys
import time
import wave


def now():
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def log_to(path):
    stream = open(path, 'w', buffering=1)
    return lambda **fields: print(json.dumps({'at': now(), **fields}), file=stream)


def read_log(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]


# --- the voice ---

class Event(ctypes.Structure):
    _fields_ = [('type', ctypes.c_int), ('id', ctypes.c_uint), ('position', ctypes.c_int), ('length', ctypes.c_int),
                ('milliseconds', ctypes.c_int), ('sample', ctypes.c_int), ('data', ctypes.c_void_p),
                ('name', ctypes.c_char * 8)]


WORD, END_OF_CLAUSE = 1, 5


def speak(text_file, wav_file, words_file):
    library = ctypes.CDLL('libespeak-ng.so.1')
    rate = library.espeak_Initialize(2, 0, None, 0)  # 2: to the callback, in this thread
    library.espeak_SetVoiceByName(b'de')
    library.espeak_SetParameter(1, 140, 0)  # words a minute
    with open(text_file) as stream:
        text = stream.read()
    samples, events = bytearray(), []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event))
    def receive(sound, count, found):
        if sound and count:
            samples.extend(ctypes.string_at(sound, 2 * count))
        i = 0
        while found[i].type:
            if found[i].type in (WORD, END_OF_CLAUSE):
                events.append((found[i].milliseconds / 1000, found[i].type, found[i].position, found[i].length))
            i += 1
        return 0

    library.espeak_SetSynthCallback(receive)
    data = text.encode()
    library.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 1, 0, 1, None, None)  # 1: UTF-8
    library.espeak_Synchronize()
    with wave.open(wav_file, 'wb') as sound:
        sound.setparams((1, 2, rate, 0, 'NONE', ''))
        sound.writeframes(bytes(samples))
    # A word of the text ends when the next word or the end of its clause begins.
    ends = {}
    for (begin, kind, position, _), (end, *_) in zip(events, events[1:] + [(len(samples) / 2 / rate,)]):
        if kind == WORD:
            ends[position - 1] = end
    with open(words_file, 'w') as out:
        for word in re.finditer(r'\S+', text):
            times = [end for position, end in ends.items() if word.start() <= position < word.end()]
            if times:
                print(json.dumps({'word': word.group(), 'end': max(times)}), file=out)


# --- what happens to its words ---

async def tap(port, url, log_file):
    from websockets.asyncio.client import connect
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed
    log = log_to(log_file)

    async def pass_on(client):
        async with connect(url + client.request.path, max_size=None) as server:
            async def to_server():
                first = True
                async for message in client:
                    if first:
                        log(speech=True)
                        first = False
                    await server.send(message)

            sender = asyncio.create_task(to_server())
            with contextlib.suppress(ConnectionClosed):
                async for message in server:
                    log(message=message)
                    await client.send(message)
            sender.cancel()

    async with serve(pass_on, '127.0.0.1', int(port), max_size=None):
        print('ready', flush=True)
        await asyncio.Future()


def stamp(log_file):
    log = log_to(log_file)
    for line in sys.stdin:
        log(message=line.rstrip('\n'))
        print(line, end='', flush=True)


async def view(url, log_file):
    from websockets.asyncio.client import connect
    log = log_to(log_file)
    async with connect(url, max_size=None, subprotocols=['surtitle.v1']) as channel:
        print('ready', flush=True)
        async for message in channel:
            log(message=message)


def run_on_cpu(program, *arguments):
    import faster_whisper
    model = faster_whisper.WhisperModel
    faster_whisper.WhisperModel = lambda path, **_: model(path, device='cpu', compute_type='int8')
    sys.argv = [program, *arguments]
    sys.path.insert(0, program.rpartition('/')[0])
    runpy.run_path(program, run_name='__main__')


# --- the report ---

def grown_texts(entries):
    """Yields the whole recognised text after each message, and its time."""
    text = ''
    for entry in entries:
        message = entry.get('message', '')
        if message.startswith('{'):  # WhisperLiveKit: all lines so far
            lines = json.loads(message).get('lines')
            text = text if lines is None else ''.join(line.get('text') or '' for line in lines)
        elif message:  # whisper_streaming: a row continues the text
            text += message.split(' ', 3)[3]
        yield entry['at'], text


def recognised_words(entries):
    """Returns each final word, with the time from which it was final."""
    words = []
    for at, text in grown_texts(entries):
        for i, word in enumerate(text.split()):
            if i == len(words):
                words.append((word, at))
            elif words[i][0] != word:
                words[i] = (word, at)
    return words


def begin_of_speech(entries):
    for entry in entries:
        if 'speech' in entry:
            return entry['at'] - 0.1  # the first tenth of a second is sent when it is over
        if 'message' in entry and not entry['message'].startswith('{'):
            return entry['at'] - float(entry['message'].split()[0]) / 1000
    raise SystemExit('the recogniser printed no words')


def viewed_words(entries):
    """Returns the committed words with their time and that of the first write that had seen them. Also returns the
    delays of the writes that a word released, and the number of sentences whose shown text changed."""
    words, index, shown, released, changed = [], {}, {}, [], 0
    for entry in entries:
        message = json.loads(entry['message'])
        sentence = message.get('sentence')
        if message['type'] == 'source':
            for word in message['text'].split():
                index.setdefault(sentence, []).append(len(words))
                words.append({'word': word, 'committed': entry['at'], 'shown': None, 'text': ''})
        elif message['type'] == 'write' and not message.get('track'):
            shown[sentence] = shown.get(sentence, '') + message['text']
            seen = index.get(sentence, [])[:message['words']]
            fresh = [i for i in seen if words[i]['shown'] is None]
            for i in fresh:
                words[i]['shown'] = entry['at']
            if seen:
                words[seen[-1]]['text'] += message['text']
            if fresh:
                released.append((seen[-1], entry['at']))
        elif message['type'] == 'sentence' and not message.get('track'):
            changed += message['target'] != shown.get(sentence, '')
    return words, released, changed


def plain(word):
    return re.sub(r'\W', '', word).lower()


def pairs(first, second):
    """Returns the pairs of positions of two lists of words that belong together."""
    matcher = difflib.SequenceMatcher(None, [plain(w) for w in first], [plain(w) for w in second], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == 'equal' or (kind == 'replace' and b - a == d - c):
            yield from zip(range(a, b), range(c, d))


def summary(values):
    values = sorted(values)
    return {'count': len(values), 'median': statistics.median(values),
            'p95': values[min(len(values) - 1, int(0.95 * len(values)))]} if values else {'count': 0}


def report(name, words_file, recognised_file, viewed_file, page):
    spoken = read_log(words_file)
    log = read_log(recognised_file)
    begin = begin_of_speech(log)
    recognised = recognised_words(log)
    viewed, released, changed = viewed_words(read_log(viewed_file))
    for i, j in pairs([w['word'] for w in viewed], [word for word, _ in recognised]):
        viewed[i]['recognised'] = recognised[j][1]
    for i, j in pairs([w['word'] for w in spoken], [w['word'] for w in viewed]):
        spoken[i]['viewed'] = viewed[j]
    steps = {'spoken to recognised': [], 'recognised to committed': [], 'committed to shown': [],
             'spoken to shown': []}
    rows = []
    for word in spoken:
        seen = word.get('viewed', {})
        times = [begin + word['end'], seen.get('recognised'), seen.get('committed'), seen.get('shown')]
        gaps = [b - a if a is not None and b is not None else None
                for a, b in [*zip(times, times[1:]), (times[0], times[3])]]
        for values, gap in zip(steps.values(), gaps):
            values += [] if gap is None else [gap]
        rows.append([word['word'], seen.get('word', ''), seen.get('text', '').strip(), f"{word['end']:.2f}",
                     *['' if t is None else f'{t - begin:.3f}' for t in times[1:]],
                     *['' if gap is None else f'{gap:.3f}' for gap in gaps]])
    steps['recognised to shown, for writes that this word released'] = [
        at - viewed[i]['recognised'] for i, at in released if 'recognised' in viewed[i]]
    results = {step: summary(values) for step, values in steps.items()}
    lines = [f'{name}: {len(spoken)} words spoken, {len(recognised)} recognised, {len(viewed)} committed, '
             f'{changed} sentences changed on screen', '']
    lines += [f'| {"step":55} | words | median, s | p95, s |', '|---|---|---|---|']
    lines += [f'| {step:55} | {r["count"]:5} | {r.get("median", 0):9.3f} | {r.get("p95", 0):6.3f} |'
              for step, r in results.items()]
    print('\n'.join(lines), flush=True)
    head = ['spoken', 'recognised as', 'shown', 'spoken at', 'recognised at', 'committed at', 'shown at', *list(steps)[:4]]

    def cells(tag, values):
        return '<tr>' + ''.join(f'<{tag}>{html.escape(str(v))}</{tag}>' for v in values) + '</tr>\n'

    with open(page, 'w') as out:
        out.write('<!doctype html><meta charset="utf-8"><title>' + html.escape(name) + '</title>\n'
                  '<style>body{font:14px sans-serif}td,th{padding:2px 8px;text-align:right}'
                  'td:nth-child(-n+3){text-align:left}pre{font-size:13px}</style>\n'
                  '<h1>' + html.escape(name) + '</h1><pre>' + html.escape('\n'.join(lines)) + '</pre>\n'
                  '<p>All times are in seconds; those of columns 4 to 7 from the beginning of the speech.</p>\n<table>'
                  + cells('th', head) + ''.join(cells('td', row) for row in rows) + '</table>\n')


if __name__ == '__main__':
    parts = {'speak': speak, 'tap': tap, 'stamp': stamp, 'view': view, 'run-on-cpu': run_on_cpu, 'report': report}
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        raise SystemExit(__doc__)
    result = parts[sys.argv[1]](*sys.argv[2:])
    if asyncio.iscoroutine(result):
        asyncio.run(result)
