#include "daemon/evaluation/report_page.h"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "daemon/base/install_paths.h"

namespace surtitle {
namespace {

constexpr std::string_view kData = R"(<script id="data" type="application/json">)";

// A tag that names a file, and the tags around the file's text that replace it.
struct Tag {
  std::string_view begin;  // before the file's name
  std::string_view end;    // after it
  std::string_view open;
  std::string_view close;
};
constexpr std::array<Tag, 2> kTags = {
    {{R"(<link rel="stylesheet" href=")", R"(">)", "<style>\n", "</style>"},
     {R"(<script src=")", R"("></script>)", "<script>\n", "</script>"}}};

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) {
    throw std::runtime_error(
        file.string() + ": cannot be read; 'npm ci --prefix web' fetches the plotting library");
  }
  return text.str();
}

std::string resolved(const std::string& line, const std::filesystem::path& folder) {
  for (const Tag& tag : kTags) {
    if (line.starts_with(tag.begin) && line.ends_with(tag.end)) {
      const auto length = line.size() - tag.begin.size() - tag.end.size();
      std::string text(tag.open);
      text += read_file(folder / line.substr(tag.begin.size(), length));
      return text.append(tag.close);
    }
  }
  return line;
}

// Escapes "<", which could end a script element or begin a comment, as "\u003c".
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

ReportPage::ReportPage(const std::string& name) {
  const std::filesystem::path file = shipped_folder("web") / "reports" / name;
  std::istringstream lines(read_file(file));
  std::string page;
  for (std::string line; std::getline(lines, line);) {
    page += resolved(line, file.parent_path()) + "\n";
  }
  const auto data = page.find(kData);
  if (data == std::string::npos) {
    throw std::runtime_error(file.string() + ": the tag '" + std::string(kData) + "' is missing");
  }
  before_ = page.substr(0, data + kData.size());
  after_ = page.substr(before_.size());
}

std::string ReportPage::with(const std::string& json) const {
  return before_ + inside_script(json) + after_;
}

}  // namespace surtitle
