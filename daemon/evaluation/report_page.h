// A page of web/reports as one file that needs nothing beside itself: the style, the scripts and
// the plotting library that it names stand in it, and so does its data.
//
// The page names them by the tags below, each alone on its line, and takes its data from the script
// element "data", which is empty in the file:
//
//   <link rel="stylesheet" href="FILE">   <script src="FILE"></script>
//   <script id="data" type="application/json"></script>
#pragma once

#include <string>

namespace surtitle {

class ReportPage {
 public:
  // Reads web/reports/`name` and all that it names. Throws std::runtime_error that names a file
  // which is not there.
  explicit ReportPage(const std::string& name);

  // The page with `json` for its data.
  std::string with(const std::string& json) const;

 private:
  std::string before_;  // the data
  std::string after_;
};

}  // namespace surtitle
