// Writes transcripts as a page of HTML, for reading, printing and word processors.
//
// The page needs no other file and has no script. Its own words are dates, times and codes of
// languages, so it has no language of its own.
//
// Thread-safety: all functions may be called from any thread.
#pragma once

#include <string>

#include "daemon/channels/transcript.h"

namespace surtitle {

struct HtmlChoice {
  std::string track;       // "" for the first
  bool bilingual = false;  // source and translation side by side
};

// Returns the heading of a stream and its paragraphs. `offset` is added to their times.
std::string html_section(const StreamDescription& stream, const Transcript& transcript,
                         const HtmlChoice& choice, double offset);

// Returns the page around sections. `title`: such as the channel's name.
std::string html_page(const std::string& title, const std::string& sections);

}  // namespace surtitle
