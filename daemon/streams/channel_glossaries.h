// The glossaries of the configuration: one for all streams, and one for each of some channels.
//
// Thread-safety: none; belongs to the network thread.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "daemon/protocol/glossary.h"

namespace surtitle {

struct GlossaryFiles {
  std::filesystem::path all;                              // empty: none
  std::map<std::string, std::filesystem::path> channels;  // by the channel's name
};

class ChannelGlossaries {
 public:
  // Reads the files. Throws std::runtime_error, as protocol::read_glossary() does.
  explicit ChannelGlossaries(GlossaryFiles files = {});

  // Reads the files again. Running streams keep their terms. If it throws, nothing has changed.
  void reload();

  // Returns the terms of a stream on this channel: those of all streams, of the channel, and of
  // `own`. Later ones take precedence. Beyond kMaxGlossaryEntries, the terms with the lowest
  // precedence are left out.
  protocol::Glossary of(const std::optional<std::string>& channel,
                        const protocol::Glossary& own) const;

 private:
  GlossaryFiles files_;
  protocol::Glossary all_;
  std::map<std::string, protocol::Glossary> channels_;
};

}  // namespace surtitle
