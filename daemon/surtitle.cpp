// The program surtitle: the command line with all subcommands.
#include <array>

#include "daemon/commands/align.h"
#include "daemon/commands/attention.h"
#include "daemon/commands/bench.h"
#include "daemon/commands/command_line.h"
#include "daemon/commands/compare.h"
#include "daemon/commands/evaluate.h"
#include "daemon/commands/import.h"
#include "daemon/commands/inspect.h"
#include "daemon/commands/journal.h"
#include "daemon/commands/listen.h"
#include "daemon/commands/loadtest.h"
#include "daemon/commands/pipe.h"
#include "daemon/commands/quantize.h"
#include "daemon/commands/replay.h"
#include "daemon/commands/score.h"
#include "daemon/commands/segment.h"
#include "daemon/commands/token.h"
#include "daemon/commands/top.h"
#include "daemon/commands/train.h"
#include "daemon/commands/transcript.h"
#include "daemon/commands/translate.h"

int main(int argc, char** argv) {
  constexpr std::array kCommands{surtitle::add_pipe_command,      surtitle::add_listen_command,
                                 surtitle::add_replay_command,    surtitle::add_loadtest_command,
                                 surtitle::add_compare_command,   surtitle::add_score_command,
                                 surtitle::add_evaluate_command,  surtitle::add_align_command,
                                 surtitle::add_attention_command, surtitle::add_segment_command,
                                 surtitle::add_inspect_command,   surtitle::add_quantize_command,
                                 surtitle::add_bench_command,     surtitle::add_journal_command,
                                 surtitle::add_train_command,     surtitle::add_token_command,
                                 surtitle::add_top_command,       surtitle::add_transcript_command,
                                 surtitle::add_import_command,    surtitle::add_translate_command};
  return surtitle::run_command_line(argc, argv, kCommands);
}
