// `surtitle attention`: what each decoder layer attends to in one sentence, as a page or as JSON.
#pragma once

#include <CLI/CLI.hpp>

namespace surtitle {

// daemon/evaluation/attention_run.h says what is shown, web/reports/attention.html how.
void add_attention_command(CLI::App& app);

}  // namespace surtitle
