#include "model/engine/draft_decoder.h"

#include <algorithm>
#include <utility>

#include "model/text/tokenizer.h"

namespace surtitle {

DraftDecoder::DraftDecoder(const Drafting& rule) : rule_(rule) { begin_draft(); }

void DraftDecoder::begin_draft() {
  if (rule_.continues) {
    draft_ = written_;
  } else {
    draft_.clear();
  }
  visible_ = rule_.unit_end_threshold > 0 ? kWholeSource : visible_ + rule_.every;
}

void DraftDecoder::extend_visibility(int encoded, const std::function<float(int)>& unit_end) {
  if (rule_.unit_end_threshold <= 0) return;
  for (; visible_ == kWholeSource && searched_ < encoded; ++searched_)
    if (unit_end(searched_) >= rule_.unit_end_threshold) visible_ = searched_ + 1;
}

int DraftDecoder::previous() const { return draft_.empty() ? kEndOfSentence : draft_.back(); }

void DraftDecoder::force(std::vector<int> tokens) { forced_ = std::move(tokens); }

std::vector<int> DraftDecoder::accept(int token, bool whole) {
  if (draft_.size() < written_.size()) {
    draft_.push_back(written_[draft_.size()]);
    return {};
  }
  if (whole && draft_.size() < forced_.size()) token = forced_[draft_.size()];
  if (token != kEndOfSentence) {
    draft_.push_back(token);
    return whole ? write_until(draft_.size()) : std::vector<int>();
  }
  complete_ = whole;
  if (whole) return {};
  auto tokens = write_until(agreed_or_forced());
  earlier_.push_back(std::move(draft_));
  if (earlier_.size() >= static_cast<std::size_t>(rule_.agreeing)) earlier_.pop_front();
  begin_draft();
  return tokens;
}

std::vector<int> DraftDecoder::write_until(std::size_t count) {
  const auto known = static_cast<std::ptrdiff_t>(written_.size());
  written_.assign(draft_.begin(), draft_.begin() + static_cast<std::ptrdiff_t>(count));
  return {written_.begin() + known, written_.end()};
}

// If drafts agree on other tokens than the forced ones, another arithmetic wrote the forced ones.
// The forced tokens stay, and these drafts do not count.
std::size_t DraftDecoder::agreed_or_forced() {
  const auto count = agreed();
  const auto known = static_cast<std::ptrdiff_t>(std::min(count, forced_.size()));
  if (std::equal(forced_.begin(), forced_.begin() + known, draft_.begin())) return count;
  draft_.assign(forced_.begin(), forced_.begin() + known);
  earlier_.clear();
  return static_cast<std::size_t>(known);
}

std::size_t DraftDecoder::agreed() const {
  if (earlier_.size() + 1 < static_cast<std::size_t>(rule_.agreeing)) return written_.size();
  auto count = draft_.size();
  for (const auto& other : earlier_) {
    const auto length = static_cast<std::ptrdiff_t>(std::min(count, other.size()));
    const auto first = std::mismatch(draft_.begin(), draft_.begin() + length, other.begin()).first;
    count = static_cast<std::size_t>(first - draft_.begin());
  }
  return count;
}

}  // namespace surtitle
