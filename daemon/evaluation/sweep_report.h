// Formats the results of a sweep as a Markdown table, as CSV and as an HTML page.
#pragma once

#include <span>
#include <string>

#include "daemon/evaluation/report_page.h"
#include "daemon/evaluation/sweep.h"

namespace surtitle {

// Return the head of the table in which a run is, and its row. Model cards have tables of this
// form.
std::string sweep_table_head(const SweepRun& run);
std::string sweep_table_row(const SweepRun& run);

// Returns CSV (RFC 4180) with a header line. Numbers have full precision; an unknown number is
// empty. REQUIRES: at least one run.
std::string to_csv(std::span<const SweepRun> runs);

// Returns the page web/reports/sweep.html with the curves.
std::string to_html(const ReportPage& page, std::span<const SweepRun> runs);

}  // namespace surtitle
