// A sweep's results for people and programs: a Markdown table, CSV, and one HTML file with curves
// that needs nothing beside itself.
#pragma once

#include <span>
#include <string>

#include "daemon/evaluation/report_page.h"
#include "daemon/evaluation/sweep.h"

namespace surtitle {

// The head of the table and one row of it, each a line: what the model cards hold.
std::string sweep_table_head();
std::string sweep_table_row(const SweepRun& run);

// RFC 4180, with a line of names first; numbers to their last digit, an unknown one empty.
std::string to_csv(std::span<const SweepRun> runs);

// web/reports/sweep.html.
std::string to_html(const ReportPage& page, std::span<const SweepRun> runs);

}  // namespace surtitle
