// Makes a page of web/reports a single file with its data, styles, scripts and plotting library.
//
// The page names its files in the tags below, each on a line of its own. The script element "data"
// is empty in the page's file:
//
//   <link rel="stylesheet" href="FILE">   <script src="FILE"></script>
//   <script id="data" type="application/json"></script>
#pragma once

#include <string>

namespace surtitle {

class ReportPage {
 public:
  // Reads web/reports/`name` and all files that it names. Throws std::runtime_error that names a
  // missing file.
  explicit ReportPage(const std::string& name);

  // Returns the page with `json` as its data.
  std::string with(const std::string& json) const;

 private:
  std::string before_;  // the part before the data
  std::string after_;   // the part after it
};

}  // namespace surtitle
