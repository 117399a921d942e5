// `surtitle` with the commands that do without LibTorch, for tests that run it as a process.
#include <array>

#include "daemon/command_line.h"
#include "daemon/commands/align.h"
#include "daemon/commands/inspect.h"
#include "daemon/commands/pipe.h"
#include "daemon/commands/replay.h"
#include "daemon/commands/score.h"

int main(int argc, char** argv) {
  constexpr std::array<surtitle::AddCommand, 5> kCommands{
      surtitle::add_pipe_command, surtitle::add_replay_command, surtitle::add_score_command,
      surtitle::add_align_command, surtitle::add_inspect_command};
  return surtitle::run_command_line(argc, argv, kCommands);
}
