#include "daemon/channels/transcript_html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "daemon/base/text.h"
#include "daemon/base/utc_time.h"

namespace surtitle {
namespace {

constexpr double kPause = 2.5;              // seconds between two paragraphs
constexpr std::size_t kMaxParagraph = 500;  // bytes from which a paragraph ends with its sentence
constexpr double kMaxTime = 359'999'999;    // 99999:59:59, in seconds
constexpr std::string_view kStyle =
    "body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:1.05rem/1.5 serif}"
    "h1,h2,th,.time{font-family:sans-serif}h2{font-size:1.1rem;margin-top:2rem}"
    ".time{color:#666;font-size:.8rem;font-variant-numeric:tabular-nums}"
    "table{border-collapse:collapse;width:100%}"
    "th,td{text-align:start;vertical-align:top;padding:.3rem .8rem .3rem 0}"
    "td.text{width:46%}p,tr{break-inside:avoid}h2{break-after:avoid}";

struct Paragraph {
  double begin = 0;  // seconds
  std::string source;
  std::string target;
};

void append_sentence(const std::string& sentence, std::string& text) {
  text += (text.empty() || sentence.empty() ? "" : " ") + sentence;
}

std::vector<Paragraph> paragraphs_of(const Transcript& transcript, const HtmlChoice& choice) {
  std::vector<Paragraph> paragraphs;
  double end = 0;
  for (const TranscriptSentence& sentence : transcript.sentences()) {
    const auto rendering = sentence.renderings.find(choice.track);
    if (rendering == sentence.renderings.end()) {
      continue;
    }
    const double begin = sentence.begin();
    if (paragraphs.empty() || begin - end >= kPause ||
        paragraphs.back().target.size() >= kMaxParagraph) {
      paragraphs.push_back({begin, {}, {}});
    }
    end = sentence.end();
    append_sentence(sentence.source_text(), paragraphs.back().source);
    append_sentence(rendering->second.text(), paragraphs.back().target);
  }
  return paragraphs;
}

std::string time_text(double seconds) {
  const long long whole = std::llround(std::floor(std::clamp(seconds, 0.0, kMaxTime)));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld", whole / 3600, whole / 60 % 60,
                whole % 60);
  return text.data();
}

// Returns the attributes of text in a language, which the browser and the word processor need for
// its direction and its hyphens.
std::string in_language(const std::string& language) {
  const bool is_code =
      !language.empty() && std::all_of(language.begin(), language.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-';
      });
  return (is_code ? " lang=\"" + language + "\"" : "") + " dir=\"auto\"";
}

std::string target_language(const StreamDescription& stream, const std::string& track) {
  const auto found = std::find_if(stream.tracks.begin(), stream.tracks.end(),
                                  [&](const protocol::Track& one) { return one.name == track; });
  return found == stream.tracks.end() ? "" : found->target;
}

// "2026-11-22 03:36 UTC"
std::string date_text(CalendarTime time) {
  const std::string text = utc_time(time);
  return text.substr(0, 10) + " " + text.substr(11, 5) + " UTC";
}

std::string heading(const StreamDescription& stream, const std::string& target,
                    const protocol::Heading& talk) {
  std::string text = stream.started == CalendarTime() ? "" : date_text(stream.started);
  const std::string languages =
      stream.source.empty() ? target : stream.source + " \u2192 " + target;
  text += (text.empty() || languages.empty() ? "" : " \u00B7 ") + escape_html(languages);
  std::string lines = text.empty() ? "" : "<h2>" + text + "</h2>\n";
  if (!talk.title.empty()) {
    lines += "<h3 dir=\"auto\">" + escape_html(talk.title) + "</h3>\n";
  }
  if (!talk.speaker.empty()) {
    lines += "<p dir=\"auto\">" + escape_html(talk.speaker) + "</p>\n";
  }
  return lines;
}

std::string cell(const std::string& language, const std::string& text) {
  return "<td class=\"text\"" + in_language(language) + ">" + escape_html(text) + "</td>";
}

}  // namespace

std::string html_section(const StreamDescription& stream, const Transcript& transcript,
                         const HtmlChoice& choice, double offset) {
  const std::string target = target_language(stream, choice.track);
  std::string html = heading(stream, target, transcript.heading());
  if (choice.bilingual) {
    html += "<table>\n<thead><tr><th></th><th>" + escape_html(stream.source) + "</th><th>" +
            escape_html(target) + "</th></tr></thead>\n<tbody>\n";
  }
  for (const Paragraph& paragraph : paragraphs_of(transcript, choice)) {
    const std::string time = time_text(paragraph.begin + offset);
    html += choice.bilingual ? "<tr><td class=\"time\">" + time + "</td>" +
                                   cell(stream.source, paragraph.source) +
                                   cell(target, paragraph.target) + "</tr>\n"
                             : "<p" + in_language(target) + "><span class=\"time\">" + time +
                                   "</span> " + escape_html(paragraph.target) + "</p>\n";
  }
  return html + (choice.bilingual ? "</tbody>\n</table>\n" : "");
}

std::string html_page(const std::string& title, const std::string& sections) {
  const std::string name = escape_html(title);
  return "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         name + "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" +
         name + "</h1>\n" + sections + "</body>\n</html>\n";
}

}  // namespace surtitle
