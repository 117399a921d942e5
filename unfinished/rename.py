#!/usr/bin/env python3
"""Carries out renames of section B, and texts of sections A and C, of notes.md beside this script.

usage: python3 rename.py [--check]     in the root of a checkout of Surtitle

All changes are made in memory first. If an expected text is missing, the script lists all such texts, writes nothing and
exits with 1. A second run changes nothing. `--check` writes nothing and says what would change. Changed C++ files are
formatted with clang-format if it is installed, as tests/lint.sh requires it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

CODE = (".h", ".cpp", ".cu", ".cuh")
TEXT = CODE + (".md", ".txt", ".cmake", ".yaml", ".sh")
# Text that is data, or that reports what was true at its time.
SKIPPED = ("model/recipes/text/", "tests/data/", "tests/golden/", "tests/fuzz/corpus/", "model/pretrained/",
           "model/variants/", "CHANGELOG.md", "tests/bench/RESULTS.md")

# One token of C++: a comment, a raw string, a string or a character. A quote after a digit separates digits.
# From tests/prose.py, with #include lines, whose paths are no strings.
C_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)


def list_files():
    """Returns the paths of the checkout: those that git knows or would add, otherwise all."""
    if in_git():
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], check=True, capture_output=True,
                               text=True).stdout.split("\0")
        return sorted({name for name in names if name and os.path.isfile(name)})
    found = []
    for folder, folders, files in os.walk("."):
        folders[:] = [f for f in folders if not f.startswith((".", "build")) and f != "node_modules"]
        found += [os.path.relpath(os.path.join(folder, file), ".") for file in files]
    return sorted(found)


def in_git():
    return subprocess.run(["git", "rev-parse", "--is-inside-work-tree"], capture_output=True, text=True).returncode == 0


class Tree:
    """The texts of a checkout, with the changes so far."""

    def __init__(self):
        self.texts = {}
        self.originals = {}
        for name in list_files():
            if name.endswith(TEXT) and not name.startswith(SKIPPED):
                try:
                    self.texts[name] = pathlib.Path(name).read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue
        self.originals = dict(self.texts)
        self.moves = {}  # old path -> new path
        self.errors = []

    def error(self, text):
        self.errors.append(text)

    # --- files ---

    def move(self, old, new):
        """Renames a file, and mends includes of a header and the CMakeLists.txt of a source."""
        if old in self.texts and new in self.texts:
            self.error(f"{old} and {new} both exist")
        elif old in self.texts:
            self.texts[new] = self.texts.pop(old)
            self.moves[old] = new
        elif new not in self.texts:
            self.error(f"neither {old} nor {new} exists")
            return
        if old.endswith(".h"):
            for name in self.names(CODE):
                self.texts[name] = self.texts[name].replace(f'#include "{old}"', f'#include "{new}"')
        else:
            self.move_in_lists(old, new)

    def move_in_lists(self, old, new):
        listed = False
        for name in self.names(("CMakeLists.txt",)):
            folder = os.path.dirname(name)
            if not (folder == "" or old.startswith(folder + "/")):
                continue
            old_entry, new_entry = os.path.relpath(old, folder or "."), os.path.relpath(new, folder or ".")
            entry = re.compile(rf"(?<![\w./-]){re.escape(old_entry)}(?![\w.])")
            before = self.texts[name]
            after = entry.sub(new_entry, before)
            if after != before:
                after = sort_entries(before, after, new_entry)
            self.texts[name] = after
            listed = listed or re.search(rf"(?<![\w./-]){re.escape(new_entry)}(?![\w.])", after) is not None
        if not listed:
            self.error(f"no CMakeLists.txt has {old} or {new}")

    def names(self, endings):
        return [name for name in sorted(self.texts) if name.endswith(endings)]

    def expand(self, files):
        """Yields the paths of file names and of patterns: "daemon/" is a folder's code, "*" all code, "**" all text."""
        found = []
        for name in [files] if isinstance(files, str) else files:
            if name == "*":
                found += self.names(CODE)
            elif name == "**":
                found += self.names(TEXT)
            elif name.endswith("/"):
                found += [one for one in self.names(CODE) if one.startswith(name)]
            elif name in self.texts:
                found.append(name)
            else:
                self.error(f"{name} does not exist")
        return list(dict.fromkeys(found))

    # --- replacements ---

    def _replace(self, what, files, substitute, is_done):
        # Of a list of files, each must have the old or the new text; of "*" or a folder, at least one.
        names = self.expand(files)
        exact = not isinstance(files, str) or files in self.texts
        any_found = False
        for name in names:
            before = self.texts[name]
            after = substitute(name, before)
            self.texts[name] = after
            found = after != before or is_done(after)
            any_found = any_found or found
            if exact and not found:
                self.error(f"{name}: found neither the old nor the new text of: {what}")
        if not exact and not any_found:
            self.error(f"{files}: found neither the old nor the new text of: {what}")

    def word(self, old, new, files="*"):
        """Replaces an identifier everywhere: code, comments and strings."""
        pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")
        done = re.compile(rf"(?<!\w){re.escape(new)}(?!\w)")
        self._replace(f"{old} -> {new}", files, lambda _, text: pattern.sub(new, text), done.search)

    def code(self, pattern, new, files, done=None):
        """Replaces a regular expression in code only. `done`: what shows that it is done."""
        expression = re.compile(pattern)
        shown = re.compile(done if done else re.escape(re.sub(r"\\[1-9]|\\g<\d>", "", new)))
        self._replace(f"/{pattern}/ -> {new}", files, lambda _, text: in_code(text, expression, new), shown.search)

    def anywhere(self, pattern, new, files, done):
        """Replaces a regular expression everywhere: code, comments and strings."""
        expression, shown = re.compile(pattern), re.compile(done)
        self._replace(f"/{pattern}/", files, lambda _, text: expression.sub(lambda _: new, text), shown.search)

    def text(self, file, old, new):
        """Replaces a text, whose white space and line breaks of comments may differ."""
        words = [re.escape(part) for part in re.split(r"\s+(?://\s)?\s*", old.strip())]
        gap = r"(?:\s|//(?=\s))+" if not file.endswith((".md", ".txt", ".yaml")) else r"\s+"
        pattern = re.compile(gap.join(words))
        new_words = [re.escape(part) for part in re.split(r"\s+(?://\s)?\s*", new.strip())]
        done = re.compile(gap.join(new_words))

        def substitute(name, text):
            if done.search(text) and (new not in old):
                return text
            found = pattern.findall(text)
            if len(found) > 1:
                self.error(f"{name}: has {len(found)} times: {old}")
            return pattern.sub(lambda _: new, text, count=1)

        self._replace(old, [file], substitute, done.search)

    # --- writing ---

    def changes(self):
        came_from = {new: old for old, new in self.moves.items()}
        return [name for name in sorted(self.texts)
                if self.texts[name] != self.originals.get(came_from.get(name, name), None)]

    def write(self):
        changed = self.changes()
        known = set()
        if in_git():
            known = set(subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True,
                                       text=True).stdout.split("\0"))
        for old, new in self.moves.items():
            if old in known:
                subprocess.run(["git", "mv", old, new], check=True)
            else:
                os.rename(old, new)
        for name in changed:
            with open(name, "w", encoding="utf-8", newline="") as file:
                file.write(self.texts[name])
        formatted = [name for name in changed if name.endswith(CODE)]
        if shutil.which("clang-format") is None:
            print("clang-format is not installed: format the changed files before a commit", file=sys.stderr)
        elif formatted:
            subprocess.run(["clang-format", "-i", *formatted], check=True)
        return changed


def in_code(text, expression, new):
    parts, end = [], 0
    for token in C_TOKEN.finditer(text):
        parts.append(expression.sub(new, text[end:token.start()]))
        parts.append(token.group())
        end = token.end()
    parts.append(expression.sub(new, text[end:]))
    return "".join(parts)


def sort_entries(before, after, entry):
    """Sorts the lines around an entry that was renamed, if they were sorted before."""
    old_lines, lines = before.split("\n"), after.split("\n")

    def key(line):
        return line.strip().rstrip(")")

    def is_entry(line):
        return re.fullmatch(r"\s+[\w./-]+\.(?:cpp|cu)\)?", line) is not None

    for at, line in enumerate(lines):
        if key(line) != entry or not is_entry(line):
            continue
        first = last = at
        while first > 0 and is_entry(lines[first - 1]):
            first -= 1
        while last + 1 < len(lines) and is_entry(lines[last + 1]):
            last += 1
        block = old_lines[first:last + 1]
        if [key(one) for one in block] != sorted(key(one) for one in block):
            continue
        closing = lines[last].endswith(")")
        block = sorted((one.rstrip(")") for one in lines[first:last + 1]), key=key)
        if closing:
            block[-1] += ")"
        lines[first:last + 1] = block
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------------------
# The renames, by folder.


def rename_access(t):
    client = ["daemon/access/authenticated_client.h", "daemon/access/authenticated_client.cpp"]
    quota = ["daemon/access/client_quota.h", "daemon/access/client_quota.cpp"]

    # may_send(), may_begin() -> check_send(), check_begin(), which return Result<void>.
    t.text(client[0],
           """// Returns an error if the client may not send to this channel. Without a channel, the grant must
  // be for all channels.
  std::optional<protocol::Error> may_send(const std::optional<std::string>& channel) const;""",
           """// Returns an error if the client may not send to this channel. Without a channel, the grant must
  // be for all channels.
  Result<void> check_send(const std::optional<std::string>& channel) const;""")
    t.text(client[0], "std::optional<protocol::Error> may_begin(std::span<const Lease> displaced) const;",
           "Result<void> check_begin(std::span<const Lease> displaced) const;")
    t.text(client[1],
           """std::optional<protocol::Error> AuthenticatedClient::may_send(
    const std::optional<std::string>& channel) const {""",
           """Result<void> AuthenticatedClient::check_send(const std::optional<std::string>& channel) const {""")
    t.text(client[1], "return error_of(check_access(requirement, grant_));",
           "return check_access(requirement, grant_);")
    t.text(client[1],
           """std::optional<protocol::Error> AuthenticatedClient::may_begin(
    std::span<const Lease> displaced) const {""",
           "Result<void> AuthenticatedClient::check_begin(std::span<const Lease> displaced) const {")
    t.text(client[1],
           """if (auto error = error_of(quota->begin_stream(static_cast<int>(made_room)))) {
      return error;
    }
  }
  return std::nullopt;""",
           """const Result<void> allowed = quota->check_new_stream(static_cast<int>(made_room));
    if (!allowed) {
      return allowed;
    }
  }
  return {};""")
    sender = "daemon/streams/stream_sender.cpp"
    for old, new in (
            ("if (const auto refused = client_ ? client_->may_send(start.channel) : std::nullopt) {"
             "    fail(*refused);",
             "if (const Result<void> allowed = client_ ? client_->check_send(start.channel) : Result<void>();\n"
             "      !allowed) {\n    fail(allowed.error().to_protocol());"),
            ("if (const auto refused = client_ ? client_->may_begin(room) : std::nullopt) {"
             "    fail(*refused);",
             "if (const Result<void> allowed = client_ ? client_->check_begin(room) : Result<void>();\n"
             "      !allowed) {\n    fail(allowed.error().to_protocol());"),
            ("if (const auto refused =          "
             "client_ && stream->channel() ? client_->may_send(stream->channel()) : std::nullopt) {"
             "    fail(*refused);",
             "if (const Result<void> allowed = client_ && stream->channel()\n"
             "                                       ? client_->check_send(stream->channel())\n"
             "                                       : Result<void>();\n"
             "      !allowed) {\n    fail(allowed.error().to_protocol());")):
        t.text(sender, old, new)
    t.text("daemon/alignatt/alignatt_session.cpp", "if (!client_->may_send(channel) && free_channel(channel, now)) {",
           "if (client_->check_send(channel) && free_channel(channel, now)) {")

    # Counting functions of quotas.
    t.word("open_stream", "add_connection_to_stream",
           client + quota + ["daemon/http/authorize.cpp", "tests/daemon/access/limits_test.cpp",
                             "tests/simulation/simulated_daemon.cpp"])
    t.word("close_stream", "remove_connection_to_stream",
           [client[1], quota[0], "tests/daemon/access/limits_test.cpp"])
    t.word("begin_stream", "check_new_stream", quota)
    t.word("wait_for_sender", "add_detached", [client[1], quota[0]])
    t.word("wait_no_more", "remove_detached", [client[1], quota[0]])
    t.word("waiting_", "detached_", quota)
    t.text(quota[0], "int detached_ = 0;  // detached streams", "int detached_ = 0;  // streams")
    t.code(r"\banswered\(", "charge_response(",
           client + quota + ["daemon/http/http_session.cpp", "tests/daemon/access/limits_test.cpp"])
    t.text(quota[0], "bool begin_refusal() { return refusals_ < kMaxRefusals && ++refusals_ > 0; }",
           """bool begin_refusal() {
    if (refusals_ >= kMaxRefusals) {
      return false;
    }
    ++refusals_;
    return true;
  }""")

    # Files whose main type had another name.
    t.move("daemon/access/rate_limiter.h", "daemon/access/client_limits.h")
    t.move("daemon/access/rate_limiter.cpp", "daemon/access/client_limits.cpp")
    t.text("daemon/access/README.md", "`rate_limiter.h`", "`client_limits.h`")
    t.move("daemon/access/signed_link.h", "daemon/access/link_keys.h")
    t.move("daemon/access/signed_link.cpp", "daemon/access/link_keys.cpp")
    t.text("GLOSSARY.md", "| signed link | `signed_link` |", "| signed link | `LinkKeys` |")
    t.text("daemon/README.md", "(`access_control` on `token_file` and `signed_link`,",
           "(`access_control` on `token_file` and `link_keys`,")
    t.code(r"\bHosts\b", "HostAllowlist", "*")
    t.anywhere(r"`Hosts\.", "`HostAllowlist.", ["deploy/SECURITY.md"], done=r"`HostAllowlist\.")


def rename_streams(t):
    t.code(r"\bover\(\)", "closed()", ["daemon/streams/stream.h", "daemon/streams/stream.cpp",
                                       "daemon/streams/stream_output.cpp"])
    t.code(r"(stream_|known)->over\(\)", r"\1->closed()", ["daemon/streams/stream_sender.cpp"], done=r"->closed\(\)")
    t.code(r"\bview\b", "info", ["daemon/streams/stream.h", "daemon/streams/stream.cpp"])
    t.code(r"stream->view\(", "stream->info(", ["daemon/streams/stream_registry.cpp"])
    t.word("views", "infos", ["daemon/streams/stream_registry.h", "daemon/streams/stream_registry.cpp",
                              "daemon/http/admin_api.cpp"])
    t.code(r"\bstreams\(\)\.views\(\)", "streams().infos()", "*")
    t.text("daemon/streams/viewer.h", "ViewFilter channel;", "ViewFilter filter;")
    t.code(r"\brequest\.channel\.", "request.filter.", ["daemon/streams/viewer.cpp",
                                                       "tests/simulation/simulation_run.cpp"])
    t.code(r"\brequest_\.channel\b", "request_.filter", ["daemon/streams/viewer.cpp",
                                                         "tests/simulation/simulated_viewer.cpp"])

    recovery = ["daemon/streams/stream_recovery.h", "daemon/streams/stream_recovery.cpp"]
    t.word("go_on", "restore_rows", recovery)
    t.code(r"recovery_\.go_on\(", "recovery_.restore_rows(", ["daemon/streams/stream_registry.cpp"])
    t.word("advance", "replay_rows", recovery)
    t.word("close_where_done", "drop_reader_if_done", recovery)
    t.word("wait_for_sender", "start_resume_timer", recovery)
    t.word("go_on_draining", "continue_drain")

    in_process = ["daemon/streams/in_process_stream.h", "daemon/streams/in_process_stream.cpp"]
    t.code(r"\bsay\(", "send_to_stream(", in_process + ["daemon/alignatt/alignatt_session.h",
                                                        "daemon/alignatt/alignatt_session.cpp"])
    t.code(r"(\bInProcessStream::|awaitable<void> )source\(", r"\1send_source(", in_process, done=r"\bsend_source\(")
    t.code(r"\bstream\.source\(", "stream.send_source(", ["daemon/http/libretranslate_api.cpp",
                                                          "daemon/http/simuleval_api.cpp"])

    t.move("daemon/streams/server_options.h", "daemon/streams/options_from_config.h")
    t.move("daemon/streams/server_options.cpp", "daemon/streams/options_from_config.cpp")


def rename_translation(t):
    track = ["daemon/translation/translation_track.h", "daemon/translation/translation_track.cpp"]
    t.text(track[0], "SentenceState track;", "SentenceState state;")
    t.code(r"const SentenceState& track\b", "const SentenceState& state", track)
    t.code(r"\.track = SentenceState\(", ".state = SentenceState(", [track[1]])
    t.code(r"(\bsentence|\bopen|\bpending|\bfirst|\bback\(\))\.track\b", r"\1.state", [track[1]], done=r"\.state\b")
    t.code(r"(?<![\w.>])track\b", "state", [track[1]])

    session = ["daemon/translation/session.h", "daemon/translation/session.cpp"]
    t.code(r"\bsay\(", "emit(", session)

    # Admission and load: commands in place of participles.
    admission = ["daemon/translation/admission_controller.h", "daemon/translation/admission_controller.cpp"]
    load = ["daemon/translation/load_estimator.h", "daemon/translation/load_estimator.cpp"]
    tests = ["tests/daemon/translation/admission_controller_test.cpp",
             "tests/daemon/translation/load_estimator_test.cpp"]
    t.code(r"\bAdmission\b", "AdmissionController", "*")
    t.text("daemon/streams/stream_recovery.h", "have a reservation (Admission).",
           "have a reservation (AdmissionController).")
    t.text("GLOSSARY.md", "| admission control | `Admission` |", "| admission control | `AdmissionController` |")
    t.text("GLOSSARY.md", "| load | `Admission` |", "| load | `AdmissionController` |")
    t.code(r"\bworked\(", "add_step(", [admission[0], *load, "daemon/streams/model_pool.cpp", *tests])
    t.text(admission[0], "// Thread-safety: worked() may be called", "// Thread-safety: add_step() may be called")
    t.text(load[0], "// Thread-safety: worked() may be called", "// Thread-safety: add_step() may be called")
    t.code(r"\bbegan\(", "add_stream(", [admission[0], *load, "daemon/streams/stream_registry.cpp", *tests])
    t.code(r"\bended\(", "remove_stream(", [admission[0], *load, *tests])
    t.code(r"admission\(\)\.ended\(", "admission().remove_stream(",
           ["daemon/streams/stream_registry.cpp", "daemon/streams/stream_recovery.cpp"])
    t.text(load[0], "under another number, until ended().", "under another number, until remove_stream().")
    t.code(r"\barrived\(", "add_words(", [*admission, *load, "daemon/streams/stream.cpp", *tests])
    t.code(r"\bdelayed\(", "add_delay(", [*admission, "daemon/streams/stream_output.cpp",
                                          "daemon/streams/stream_stats.h", tests[0]])

    cost = ["daemon/translation/step_cost_model.h", "daemon/translation/step_cost_model.cpp"]
    t.word("work", "tokens", cost)
    t.word("work_", "tokens_", cost)
    t.text(cost[0], "// Adds a step of `tokens` tokens, read or written.", "// Adds a step. `tokens`: read or written.")
    t.code(r"\bsteps\.work\(\)", "steps.tokens()", [load[1]])
    t.code(r"\bcost\.work\(\)", "cost.tokens()", ["tests/daemon/translation/step_cost_test.cpp"])
    t.code(r"\bwork\b", "tokens", ["daemon/translation/step_cost.cpp"])

    t.code(r"\badmit\(", "open_waiting(", ["daemon/translation/batch_loop.h", "daemon/translation/batch_loop.cpp"])
    t.text("daemon/translation/batch_loop.cpp",
           "    open_.reserve(static_cast<std::size_t>(info_.max_sentences));  // admit() needs no memory then",
           "// open_waiting() needs no memory then.\n"
           "    open_.reserve(static_cast<std::size_t>(info_.max_sentences));")

    lag = ["policies/lag_controller.h", "policies/lag_controller.cpp"]
    t.code(r"\bcompleted\(", "update(", lag)
    t.code(r"lag_->completed\(", "lag_->update(", [track[1]])
    t.code(r"\b(controller|slow|fast)\.completed\(", r"\1.update(", ["tests/policies/lag_controller_test.cpp"],
           done=r"controller\.update\(")

    hypothesis = ["daemon/translation/hypothesis_commit.h", "daemon/translation/hypothesis_commit.cpp"]
    builder = ["daemon/recognisers/message_builder.h", "daemon/recognisers/message_builder.cpp"]
    t.word("heard_", "text_", hypothesis + builder)
    t.code(r"\bhear\(", "add_hypothesis_text(", builder)


def rename_timers(t):
    """C.1: a step is of one sentence, a tick of one translator, and a round of one thread's loop."""
    # Callbacks of timers.
    t.code(r"\btick\(", "on_deadline(", ["daemon/streams/stream.h", "daemon/streams/stream.cpp",
                                         "daemon/streams/stream_registry.h", "daemon/streams/stream_registry.cpp",
                                         "daemon/streams/stream_publisher.h", "daemon/streams/stream_publisher.cpp",
                                         "daemon/streams/stream_sender.cpp", "daemon/translation/session.h",
                                         "daemon/translation/session.cpp", "daemon/replay/offline_stream.cpp"])
    t.code(r"\b(streams|streams_|streams\(\)|session_)(\.|->)tick\(", r"\1\2on_deadline(", "*", done=r"on_deadline\(")
    t.text("daemon/streams/stream_registry.h", "When tick() is due for detached and ended streams, or nullopt.",
           "When on_deadline() is due for detached and ended streams, or nullopt.")
    t.text("daemon/streams/stream_publisher.h", "When tick() is due, or nullopt.",
           "When on_deadline() is due, or nullopt.")
    t.text("daemon/translation/session.h", "at which tick() must be called", "at which on_deadline() must be called")
    t.text("daemon/server/program.cpp", "Calls StreamRegistry::tick() when it is due",
           "Calls StreamRegistry::on_deadline() when it is due")
    t.text("daemon/streams/stream_registry.cpp", '"ticking detached streams"', '"checking deadlines of streams"')
    t.code(r"\btick\(\)", "on_timer()", ["daemon/server/event_loop_monitor.h", "daemon/server/event_loop_monitor.cpp",
                                        "tests/simulation/simulated_daemon.h",
                                        "tests/simulation/simulated_daemon.cpp"])
    admission = ["daemon/translation/admission_controller.h", "daemon/translation/load_estimator.h",
                 "daemon/translation/load_estimator.cpp"]
    t.code(r"\btick\(", "advance_time(", admission)
    t.code(r"(admission_|load|admission\(\))\.tick\(", r"\1.advance_time(",
           ["daemon/streams/server_context.cpp", "tests/daemon/translation/admission_controller_test.cpp",
            "tests/daemon/translation/load_estimator_test.cpp"], done=r"\.advance_time\(")
    t.text(admission[1], "the time up to which tick() has counted", "the time up to which advance_time() has counted")
    t.text("tests/daemon/translation/admission_controller_test.cpp",
           "// Advances the clock; the network thread ticks four times a second.",
           "// Advances the clock; the network thread calls advance_time() four times a second.")

    # Translator::step() -> tick().
    t.code(r"\bstep\(std::vector<Write>& writes\)", "tick(std::vector<Write>& writes)", "*")
    t.code(r"\b(Scripted|Counted)Translator::step\(", r"\1Translator::tick(",
           ["tests/daemon/streams/failing_allocations_aside_test.cpp", "tests/daemon/streams/registry_fixture.cpp"],
           done=r"Translator::tick\(")
    t.code(r"(translator_?|engine)(\.|->)step\(writes(_?)\)", r"\1\2tick(writes\3)", "*", done=r"tick\(writes")
    t.code(r"\bstep\(writes\)", "tick(writes)", ["model/engine/engine.cpp"])
    t.text("model/engine/engine.h", "already written; step() does not return them",
           "already written; tick() does not return them")
    t.text("model/engine/translator.h", "(for all sentences if step()", "(for all sentences if tick()")
    t.text("tests/model/engine/shared_source_test.cpp", "// step() reports a free slot", "// tick() reports a free slot")
    for what in ("throws, for all sentences", "never returns", "takes a second"):
        t.text("tests/daemon/support/scripted_translator.h", f"the next step() {what}", f"the next tick() {what}")
    t.text("GLOSSARY.md", "| tick | `Translator::step` |", "| tick | `Translator::tick` |")
    loop = ["daemon/translation/batch_loop.h", "daemon/translation/batch_loop.cpp"]
    t.code(r"(\bbool (?:BatchLoop::)?|= )step\(\)", r"\1tick()", loop, done=r"\btick\(\)")
    t.text(loop[1], "// Returns true if another step can move a sentence.",
           "// Returns true if another tick can move a sentence.")
    t.text(loop[1], "collect_writes();  // of an earlier step, before", "collect_writes();  // of an earlier tick, before")
    t.text(loop[1], "because sentences are opened and closed without a step, too.",
           "because sentences are opened and closed without a tick, too.")
    t.code(r"\bstep\(\)", "tick()", ["daemon/evaluation/sentence_starts.cpp",
                                     "tests/daemon/support/scripted_stream.h"])
    t.code(r"\b(stream|cut)\.step\(\)", r"\1.tick()",
           ["tests/daemon/translation/session_test.cpp", "tests/daemon/translation/start_watch_test.cpp",
            "tests/fuzz/session_fuzz.cpp"], done=r"\.tick\(\)")

    # A turn of a thread -> a round.
    crumb = "daemon/base/breadcrumb.h"
    t.word("end_turn", "end_round")
    t.word("turn_ended", "round_ended")
    t.word("turn_ended_", "round_ended_", [crumb, *loop])
    t.text(crumb, "the end of each turn of its work", "the end of each round of its work")
    t.text(crumb, "// Marks the end of a turn. `idle`: the next turn begins when there is work.",
           "// Marks the end of a round. `idle`: the next round begins when there is work.")
    t.text("daemon/base/watchdog.h", "the longest turn that is no stall;", "the longest round that is no stall;")
    t.text("daemon/streams/server_context.h", "per turn of the recovery in the background",
           "per round of the recovery in the background")
    t.text("daemon/streams/server_context.h", "The network thread has ended a turn.",
           "The network thread has ended a round.")
    t.text("daemon/server/event_loop_monitor.h", "it ends a turn in the thread's breadcrumb",
           "it ends a round in the thread's breadcrumb")
    manager = ["daemon/backplane/ownership_manager.h", "daemon/backplane/ownership_manager.cpp"]
    t.word("next_turn", "next_round", manager)
    t.word("run_turn", "run_round", manager)
    t.text(manager[1], "Waits for tasks until the next turn, and", "Waits for tasks until the next round, and")
    t.text(manager[1], "Returns the time of the next turn, unless", "Returns the time of the next round, unless")
    t.text(manager[1], "Orphans that are found in this turn are", "Orphans that are found in this round are")
    journal = ["daemon/journal/journal.cpp"]
    t.code(r"\bTurn turn\(", "Round round(", journal)
    t.code(r"\bTurn\b", "Round", journal)
    t.text("daemon/README.md", "| one turn of the network thread,", "| one round of the network thread,")
    t.text("GLOSSARY.md", "| round, turn | `Task`, `Breadcrumb` | The work of a thread between two waits. A turn that lasts "
           "too long is a stall. |",
           "| round | `Task`, `Breadcrumb` | The work of a thread between two waits. A round that lasts too long is a "
           "stall. |")


def rename_backplane(t):
    t.word("on_channel_published", "on_channel_claimed")
    t.word("begin_here", "on_channel_claimed")
    t.word("read_on", "read_next_page", ["daemon/backplane/log_tailer.h", "daemon/backplane/log_tailer.cpp"])
    scanner = "daemon/backplane/orphan_scanner.h"
    t.code(r"\bvoid next\(\)", "void finish_adoption()", [scanner])
    t.code(r"orphans_\.next\(\)", "orphans_.finish_adoption()",
           ["daemon/backplane/history_loader.cpp", "daemon/backplane/ownership_manager.cpp"])
    t.text(scanner, "if there is no room, before next(), or if", "if there is no room, before finish_adoption(), or if")
    t.text(scanner, "// until next()", "// until finish_adoption()")
    # C.6: three results of a claim.
    t.word("Claimed", "ClaimedOrphan", [scanner])
    t.code(r"OrphanScanner::Claimed\b", "OrphanScanner::ClaimedOrphan", ["daemon/backplane/orphan_scanner.cpp"])
    t.code(r"(?<!:)\bClaimed claimed\{", "ClaimedOrphan claimed{", ["daemon/backplane/orphan_scanner.cpp"])
    t.code(r"redis_schema::Claimed\b", "redis_schema::ClaimReply", "daemon/backplane/")
    t.code(r"(?<!::)\bClaimed\b(?!OrphanScanner)", "ClaimReply",
           ["daemon/backplane/redis_schema.h", "daemon/backplane/redis_schema.cpp"])
    # C.7: the names of keys and fields stay, as they are data.
    t.text("daemon/backplane/redis_schema.h",
           """//                            a stream of this one under that fence
//
// Thread-safety:""",
           """//                            a stream of this one under that fence
//
// Names of keys and fields are data that other versions read. Some are therefore older than the
// terms of GLOSSARY.md: story (history), order (assignment log), swept (failed over), away
// (detached), over (displaced), taken (claimed), beat (heartbeat).
//
// Thread-safety:""")
    # A file of its own for each of the two types that were in the header of another one.
    split_backplane_options(t)


def split_backplane_options(t):
    old, new = "daemon/backplane/redis_health.h", "daemon/backplane/backplane_options.h"
    if new in t.texts:
        return
    found = re.search(r"struct BackplaneOptions \{\n.*?\n\};\n\n", t.texts[old], re.DOTALL)
    if not found:
        t.error(f"{old} has no struct BackplaneOptions")
        return
    t.texts[old] = t.texts[old].replace(found.group(), "")
    t.text(old, '#include "daemon/backplane/redis_url.h"', '#include "daemon/backplane/backplane_options.h"')
    t.texts[new] = f"""// The options of the backplane, which all of its parts share.
//
// Thread-safety: a plain value.
#pragma once

#include <chrono>
#include <string>

#include "daemon/backplane/redis_url.h"

namespace surtitle {{

{found.group()}}}  // namespace surtitle
"""


def rename_journal(t):
    store = ["daemon/journal/sqlite_store.h", "daemon/journal/sqlite_store.cpp"]
    t.word("TakeRow", "OnRow", store)
    t.word("take", "on_row", store)
    t.word("silence_record", "silence_input")
    split_local_store(t)
    local = "daemon/journal/local_store.h"
    t.code(r"\bmost\b", "max_rows", [local, store[1]])
    t.text(local, "// Returns at most `most` rows of a stream,", "// Returns at most `max_rows` rows of a stream,")


def split_local_store(t):
    old, new = "daemon/journal/sqlite_store.h", "daemon/journal/local_store.h"
    if new in t.texts:
        return
    found = re.search(r"// A journal on this machine, [^\n]*\n(class LocalStore : .*?\n\};\n\n)", t.texts[old], re.DOTALL)
    if not found:
        t.error(f"{old} has no class LocalStore")
        return
    t.texts[old] = t.texts[old].replace(found.group(), "")
    t.text(old, '#include "daemon/journal/journal_store.h"', '#include "daemon/journal/local_store.h"')
    t.texts[new] = f"""// Interface of a journal on this machine, with the functions that replication needs.
//
// Errors and threads: as JournalStore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/journal/journal_store.h"

namespace surtitle {{

{found.group(1)}}}  // namespace surtitle
"""


def rename_base(t):
    t.move("daemon/base/uri.h", "daemon/base/url_parts.h")
    t.move("daemon/base/uri.cpp", "daemon/base/url_parts.cpp")
    t.move("tests/daemon/base/uri_test.cpp", "tests/daemon/base/url_parts_test.cpp")
    t.move("daemon/base/url.h", "daemon/base/websocket_url.h")
    t.move("daemon/base/url.cpp", "daemon/base/websocket_url.cpp")
    t.code(r"\bUrl\b", "WebSocketUrl", "*")
    t.anywhere(r"`Url\.", "`WebSocketUrl.", ["deploy/SECURITY.md"], done=r"`WebSocketUrl\.")
    t.code(r"\bparse_url\b", "parse_websocket_url", "*")
    # parse_number() is about text, not about URLs.
    declaration = ("// Returns the number if the whole text is one from `least` to `most`, or nullopt otherwise.\n"
                   "std::optional<int> parse_number(std::string_view text, int least, int most);\n\n")
    if declaration in t.texts["daemon/base/url_parts.h"]:
        t.texts["daemon/base/url_parts.h"] = t.texts["daemon/base/url_parts.h"].replace(declaration, "")
        parts = t.texts["daemon/base/url_parts.cpp"]
        found = re.search(r"std::optional<int> parse_number\(.*?\n\}\n\n", parts, re.DOTALL)
        t.texts["daemon/base/url_parts.cpp"] = parts.replace(found.group(), "")
        t.text("daemon/base/url_parts.cpp", '#include <charconv>\n\nnamespace surtitle',
               '#include <charconv>\n\n#include "daemon/base/text.h"\n\nnamespace surtitle')
        text = t.texts["daemon/base/text.cpp"]
        at = text.rindex("}  // namespace surtitle")
        t.texts["daemon/base/text.cpp"] = text[:at] + found.group() + text[at:]
        anchor = "// Returns the nearest position at or before `position`"
        t.text("daemon/base/text.h", anchor, declaration + anchor)
        for header in ("#include <cstddef>\n", ):
            t.text("daemon/base/text.h", header + "#include <string>", header + "#include <optional>\n#include <string>")
        t.text("daemon/streams/viewer.cpp", '#include "daemon/base/try_or_log.h"',
               '#include "daemon/base/text.h"\n#include "daemon/base/try_or_log.h"')
        if "#include <charconv>" not in t.texts["daemon/base/text.cpp"]:
            t.texts["daemon/base/text.cpp"] = t.texts["daemon/base/text.cpp"].replace(
                '#include "daemon/base/text.h"\n\n', '#include "daemon/base/text.h"\n\n#include <charconv>\n', 1)
        t.text("daemon/backplane/redis_url.cpp", '#include "daemon/base/url_parts.h"',
               '#include "daemon/base/text.h"\n#include "daemon/base/url_parts.h"')
    elif "parse_number" not in t.texts["daemon/base/text.h"]:
        t.error("neither daemon/base/url_parts.h nor daemon/base/text.h has parse_number()")
    t.code(r"\bnow\(TimePoint now\)", "slice_at(TimePoint now)", ["daemon/base/sliding_window.h"])
    t.code(r"^    now\(time\);|(?<=\n)    now\(time\);", "    slice_at(time);", ["daemon/base/sliding_window.h"])
    t.code(r"(lately|remembered|seconds|delays_)\.now\(now\)", r"\1.slice_at(now)",
           ["daemon/translation/load_estimator.h", "daemon/translation/load_estimator.cpp",
            "daemon/translation/delay_estimator.h"], done=r"\.slice_at\(now\)")
    t.word("take_error_of", "adopt_error")
    t.word("warn_where_others_read", "warn_if_others_may_read")
    t.word("refuse_pipe", "require_file_or_folder")
    t.code(r"\benvironment\((?=\"|const char|name|$)", "env_var(", ["daemon/systemd/env_var.h"])


def rename_daemon(t):
    # systemd/
    t.move("daemon/systemd/sd_notify.h", "daemon/systemd/service_manager.h")
    t.move("daemon/systemd/sd_notify.cpp", "daemon/systemd/service_manager.cpp")
    t.text("daemon/systemd/README.md", "- `sd_notify.h`:", "- `service_manager.h`:")
    t.text("daemon/README.md", "`sd_notify` reports each state", "`service_manager` reports each state")
    systemd = ["daemon/systemd/inherited_sockets.cpp", "daemon/systemd/service_manager.cpp"]
    t.code(r"\benvironment\(", "env_var(", systemd)
    t.word("environment_number", "env_var_number", ["daemon/systemd/env_var.h", *systemd])
    # config/, server/
    config = ["daemon/config/daemon_config.h", "daemon/config/daemon_config.cpp"]
    t.word("idle_seconds", "timeouts_idle", config)
    t.word("request_seconds", "timeouts_request", config)
    t.code(r"config\.idle_seconds", "config.timeouts_idle", ["daemon/streams/options_from_config.cpp"])
    t.code(r"config\.request_seconds", "config.timeouts_request",
           ["daemon/streams/options_from_config.cpp", "daemon/server/program.cpp"])
    t.word("looks", "checks_left", ["daemon/server/shutdown.h", "daemon/server/shutdown.cpp"])
    # channels/
    t.word("above_low_watermark", "more_than_half_full")
    # commands/, evaluation/
    t.code(r"\bnothing\b", "all_failed", ["daemon/commands/replay_backend.h", "daemon/commands/replay_backend.cpp"])
    t.code(r"result\.nothing\b", "result.all_failed", ["daemon/commands/replay.cpp"])
    rates = ["daemon/evaluation/bench_rates.h", "daemon/evaluation/bench_rates.cpp"]
    t.code(r"\bReached\b", "AchievedRates", rates)
    t.code(r"\breached\(", "achieved_rates(", [*rates, "daemon/evaluation/bench_json.cpp",
                                              "daemon/evaluation/bench_table.cpp"])
    # terminal/
    t.word("MetricsReading", "MetricsScrape")


def rename_inputs(t):
    # pipe/ and replay/: what is read is an input; source is the words of the speaker.
    t.move("daemon/pipe/pipe_source.h", "daemon/pipe/pipe_input.h")
    t.move("daemon/pipe/websocket_source.h", "daemon/pipe/websocket_input.h")
    t.move("daemon/pipe/websocket_source.cpp", "daemon/pipe/websocket_input.cpp")
    t.word("PipeSource", "PipeInput")
    t.word("WebSocketSource", "WebSocketInput")
    t.code(r"\bopen_source\(", "open_input(", ["daemon/pipe/pipe_run.cpp"])
    t.text("daemon/pipe/README.md", "`pipe_source.h`", "`pipe_input.h`")
    t.text("daemon/pipe/pipe_input.h", "waits until the source can continue", "waits until the input can continue")
    t.move("daemon/replay/replay_source.h", "daemon/replay/replay_input.h")
    t.move("daemon/replay/replay_source.cpp", "daemon/replay/replay_input.cpp")
    t.move("tests/daemon/replay/replay_source_test.cpp", "tests/daemon/replay/replay_input_test.cpp")
    t.word("ReplaySource", "ReplayInput")
    t.word("ReplaySourceTest", "ReplayInputTest", "**")
    t.word("read_replay_source", "read_replay_input")
    t.text("daemon/README.md", "reads a log (`replay_source`, `stream_log_reader`)",
           "reads a log (`replay_input`, `stream_log_reader`)")
    t.text("daemon/README.md", "its row and reader in `replay_source`.", "its row and reader in `replay_input`.")
    t.text("daemon/replay/README.md", "`replay_source.h`", "`replay_input.h`")
    inputs = ["daemon/commands/replay.cpp", "daemon/replay/replay_input.cpp",
              "tests/daemon/replay/replay_input_test.cpp"]
    t.code(r"(?<![\w.>])source\b", "input", inputs)
    t.text("daemon/commands/replay.cpp", "are removed from `source`.", "are removed from `input`.")
    t.code(r"\bsource(?= = read_replay_input|\.talk)", "input", ["tests/fuzz/logs_fuzz.cpp"])
    # C.5: a timed transcript has one name.
    t.code(r"\bTimedTranscript talk;", "TimedTranscript transcript;",
           ["daemon/replay/replay_input.h", "daemon/replay/stream_log_reader.h"])
    t.code(r"\b(input|plain|log|log_|read)\.talk\b", r"\1.transcript",
           ["daemon/commands/replay.cpp", "daemon/replay/replay_input.cpp", "daemon/replay/stream_log_reader.cpp",
            "tests/daemon/replay/replay_input_test.cpp", "tests/fuzz/logs_fuzz.cpp"], done=r"\.transcript\b")
    t.code(r"\)\.talk\b", ").transcript", ["tests/daemon/replay/replay_input_test.cpp",
                                          "tests/bench/viewers_bench.cpp"])
    t.code(r"\bTimedTranscript log;", "TimedTranscript transcript;", ["daemon/replay/replay_stream.h"])
    t.code(r"\b(plan_?)\.log\b", r"\1.transcript",
           ["daemon/replay/replay_stream.cpp", "tests/daemon/replay/replay_report_test.cpp"], done=r"plan_?\.transcript\b")
    t.code(r"\.log = talk\b", ".transcript = talk", ["daemon/commands/replay_backend.cpp"])
    t.word("ReplayReading", "ReplayReadOptions")
    t.code(r"\brecognise\(", "detect_format(", ["daemon/replay/replay_input.h", "daemon/replay/replay_input.cpp"])
    t.text("daemon/replay/replay_input.h", "// Recognises the format by the first line that is not blank.",
           "// Detects the format by the first line that is not blank.")
    t.code(r"\breading\b", "options", ["daemon/replay/replay_input.h", "daemon/replay/replay_input.cpp"])
    # What was said -> what was sent, and when.
    t.code(r"\bsaid_", "source_times_", ["daemon/replay/run_recorder.h", "daemon/replay/run_recorder.cpp"])
    t.code(r"\bsaid\(", "sent(", ["daemon/replay/run_recorder.h", "daemon/replay/run_recorder.cpp",
                                 "daemon/replay/offline_stream.cpp", "daemon/replay/replay_stream.cpp",
                                 "daemon/replay/stream_log_reader.cpp",
                                 "tests/daemon/replay/run_comparison_test.cpp"])
    t.code(r"(?<=[.>])said\b", "source_times",
           ["daemon/replay/run_recorder.cpp", "daemon/replay/recorded_run.cpp", "daemon/replay/run_report.cpp",
            "daemon/replay/scoring_talk.cpp", "tests/daemon/replay/replay_input_test.cpp",
            "tests/daemon/replay/run_comparison_test.cpp", "tests/daemon/replay/scoring_talk_test.cpp"])
    t.code(r"\bsaid\b", "source_times", ["daemon/replay/recorded_run.h", "daemon/replay/scoring_talk.cpp"])
    t.code(r"\bsaid\b", "known", ["daemon/replay/run_report.cpp"])
    t.code(r"\bRecordedRun say\(", "RecordedRun run(", ["daemon/replay/offline_stream.cpp"])
    t.code(r"\.say\(talk\)", ".run(talk)", ["daemon/replay/offline_stream.cpp"])
    t.code(r"\bsay\(", "send(", ["daemon/replay/offline_stream.cpp"])
    # recognisers/
    t.word("LoggedLine", "TimedLine")
    t.word("parse_logged_line", "parse_timed_line")
    t.code(r"\bover\(\)", "on_end()", ["daemon/recognisers/line_recogniser.h", "daemon/recognisers/line_recogniser.cpp",
                                      "daemon/recognisers/pocketsphinx.cpp", "daemon/recognisers/subtitles.cpp"])
    t.word("on_notice", "on_hint")
    t.word("on_notice_", "on_hint_")


def rename_model(t):
    trainer = ["model/training/trainer.h", "model/training/trainer.cpp"]
    t.code(r"\btell\(", "report(", trainer)
    t.code(r"\bReportInterval& stretch\b", "ReportInterval& interval", trainer)
    t.code(r"\bstretch\b", "interval", [trainer[1]])
    t.code(r"\bKept\b", "KeptCheckpoint", trainer)
    engine = ["model/engine/engine.h", "model/engine/engine.cpp"]
    t.code(r"\btake\(", "apply_outcome(", engine)
    t.word("take_draft", "apply_draft_token", engine)
    t.code(r"\btake\(", "apply(", ["model/engine/offline.cpp"])
    draft = ["model/engine/draft_decoder.h", "model/engine/draft_decoder.cpp"]
    t.word("sought_", "searched_", draft)
    t.text(draft[0], "  std::size_t agreed_or_forced();",
           "  // Returns the number of tokens that the drafts agree on. If these differ from the forced tokens,\n"
           "  // replaces the drafts by the forced ones.\n"
           "  std::size_t agreed_or_forced();")
    cpu = ["model/cpu/cpu_inference.h", "model/cpu/cpu_inference.cpp"]
    t.code(r"\bvisible\(", "advance_and_count_visible(", cpu)
    t.code(r"\bseek\(", "find_visible_by_stops(", cpu)
    t.word("note_states", "classify_states", cpu)
    t.code(r"\bseek\(", "align_by_stops(", ["model/torch/torch_inference.h", "model/torch/torch_inference.cpp"])
    linear = ["model/cpu/cpu_linear.h", "model/cpu/cpu_linear.cpp", "model/cpu/int8_matrix.cpp", "model/cpu/matrix.h",
              "model/cpu/packed_matrix.cpp", "tests/model/cpu/int8_matrix_test.cpp",
              "tests/model/cpu/packed_matrix_test.cpp"]
    t.code(r"\bThen\b", "Epilogue", [*linear, "model/cpu/cpu_inference.cpp", "model/cpu/cpu_luong.cpp"])
    t.code(r"\bthen\b", "epilogue", linear)
    t.text("model/cpu/matrix.h", "// Operation on an output before it is stored.",
           "// Operation on an output before it is stored, in the kernel that computes it.")
    t.word("kNowhere", "kInactive")
    t.code(r"\btaken\b", "weight_of_other", ["model/cuda/attention_kernels.h"])
    t.word("take_weights", "load_matching_weights")
    t.word("takes_cuda", "chooses_cuda")
    t.word("threads_or_processors", "thread_count")
    t.word("get_named", "get_named_if_there")


def mend_texts(t):
    # A.3: help of limits.outgoing_messages and limits.outgoing_bytes.
    t.anywhere(r'"messages that wait for a slow client; beyond this, it is disconnected"',
               '"messages that wait for a slow client; beyond this, a viewer is sent a snapshot, or "\n'
               '             "disconnected if that does not help"',
               ["daemon/config/daemon_config.cpp"], done=r"a viewer is sent a snapshot, or ")
    # A.9: a close code that needs no limit that is exceeded.
    header, source = "daemon/protocol/protocol.h", "daemon/protocol/protocol.cpp"
    t.text(header,
           "inline constexpr std::uint16_t kCloseServiceRestart = 1012;\n\n// --- errors ---",
           "inline constexpr std::uint16_t kCloseServiceRestart = 1012;\n"
           "// The same request may succeed later.\n"
           "inline constexpr std::uint16_t kCloseTryAgainLater = 1013;\n\n// --- errors ---")
    t.anywhere(r"constexpr std::uint16_t kCloseTryLater = 1013;\n", "", [source], done=r"kCloseTryAgainLater")
    t.word("kCloseTryLater", "kCloseTryAgainLater", [source])
    t.text("daemon/streams/stream.cpp", "publisher_->close(close_code(ErrorCode::kTooManyStreams));",
           "publisher_->close(protocol::kCloseTryAgainLater);")
    t.text("daemon/streams/stream_sender.cpp",
           "connection_->end(protocol::close_code(ErrorCode::kTooManyStreams));",
           "connection_->end(protocol::kCloseTryAgainLater);")
    t.text("daemon/streams/viewer.cpp",
           "connection_->end(protocol::close_code(ErrorCode::kTooManyStreams));  // try again later",
           "connection_->end(protocol::kCloseTryAgainLater);")


RENAMES = [rename_base, rename_access, rename_streams, rename_translation, rename_timers, rename_backplane,
           rename_journal, rename_daemon, rename_inputs, rename_model, mend_texts]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    if not pathlib.Path("GLOSSARY.md").is_file() or not pathlib.Path("daemon/streams").is_dir():
        print("rename.py: run it in the root of a checkout of Surtitle", file=sys.stderr)
        return 2
    tree = Tree()
    for rename in RENAMES:
        rename(tree)
    if tree.errors:
        for error in tree.errors:
            print(f"rename.py: {error}", file=sys.stderr)
        print(f"rename.py: {len(tree.errors)} expected texts are missing; nothing was written", file=sys.stderr)
        return 1
    changed = tree.changes() if arguments.check else tree.write()
    for old, new in tree.moves.items():
        print(f"{old} -> {new}")
    print(f"{len(changed)} files changed, {len(tree.moves)} renamed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
