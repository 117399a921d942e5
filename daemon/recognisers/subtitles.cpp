// A file of subtitles, SRT or WebVTT; subtitle_cues.h has the format. All words of a cue have the
// time of its end. A sentence may have several cues.
#include "daemon/base/text.h"
#include "daemon/recognisers/formats.h"
#include "daemon/recognisers/line_recogniser.h"
#include "daemon/recognisers/subtitle_cues.h"
#include "daemon/recognisers/text_decoder.h"

namespace surtitle {
namespace {

class Subtitles : public LineRecogniser {
 public:
  Subtitles(const RecogniserSettings& settings, MessageBuilder& builder)
      : LineRecogniser(settings, builder, /*has_foreign_lines=*/false, /*line_ends=*/"\r\n") {}

 private:
  // Subtitles are often in Windows-1252.
  void on_line(std::string_view line) override { send(reader_.add(valid_text(line))); }
  void on_end() override { send(reader_.finish()); }

  void send(const std::optional<SubtitleCue>& cue) {
    if (cue) {
      builder().text(join_words(cue->lines), MessageBuilder::round_to_milliseconds(cue->end));
      builder().end_text();
    }
  }

  SubtitleReader reader_;
};

}  // namespace

std::unique_ptr<Recogniser> make_subtitles(const RecogniserSettings& settings,
                                           MessageBuilder& builder) {
  return std::make_unique<Subtitles>(settings, builder);
}

Match sniff_subtitles(std::string_view begin) {
  switch (subtitle_beginning(begin)) {
    case SubtitleBeginning::kNo:
      return Match::kNo;
    case SubtitleBeginning::kUndecided:
      return Match::kUndecided;
    case SubtitleBeginning::kYes:
      break;
  }
  return Match::kYes;
}

}  // namespace surtitle
