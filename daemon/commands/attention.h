// Declares `surtitle attention`, which shows the attention of each decoder layer for one sentence.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

// daemon/evaluation/attention_run.h has the data, web/reports/attention.html the page.
void add_attention_command(CLI::App& app);

}  // namespace surtitle
