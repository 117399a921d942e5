#include "daemon/streams/channel_glossaries.h"

#include <utility>

namespace surtitle {

ChannelGlossaries::ChannelGlossaries(GlossaryFiles files) : files_(std::move(files)) { reload(); }

void ChannelGlossaries::reload() {
  protocol::Glossary all =
      files_.all.empty() ? protocol::Glossary() : protocol::read_glossary(files_.all);
  std::map<std::string, protocol::Glossary> channels;
  for (const auto& [channel, file] : files_.channels) {
    channels[channel] = protocol::read_glossary(file);
  }
  all_ = std::move(all);
  channels_ = std::move(channels);
}

protocol::Glossary ChannelGlossaries::of(const std::optional<std::string>& channel,
                                         const protocol::Glossary& own) const {
  const auto found = channel ? channels_.find(*channel) : channels_.end();
  protocol::Glossary merged = all_;
  if (found != channels_.end()) {
    merged = protocol::merge(merged, found->second);
  }
  merged = protocol::merge(merged, own);
  // The entries of `own` are the last ones.
  if (merged.size() > protocol::kMaxGlossaryEntries) {
    merged.erase(merged.begin(),
                 merged.end() - static_cast<std::ptrdiff_t>(protocol::kMaxGlossaryEntries));
  }
  return merged;
}

}  // namespace surtitle
