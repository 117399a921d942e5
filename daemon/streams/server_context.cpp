#include "daemon/streams/server_context.h"

#include <string_view>
#include <utility>

#include "daemon/backplane/backplane.h"
#include "daemon/journal/journal.h"
#include "daemon/streams/transcript_archive.h"

namespace surtitle {

ServerContext::ServerContext(ServerOptions options, DaemonMetrics& metrics, Post post,
                             Environment& environment)
    : options_(std::move(options)),
      metrics_(metrics),
      admission_(options_.admission),
      post_(std::move(post)),
      environment_(environment),
      models_(options_.models, post_, metrics_, admission_, environment_),
      channels_({}, [this] { return environment_.now(); }) {}

ServerContext::~ServerContext() = default;

void ServerContext::add_model(const ModelSource& source) {
  models_.add(source);
  options_.limits.sentence_tokens = models_.sentence_tokens();
}

void ServerContext::use_journal(std::unique_ptr<Journal> journal) { journal_ = std::move(journal); }

void ServerContext::use_archive(std::unique_ptr<TranscriptArchive> archive) {
  archive_ = std::move(archive);
}

void ServerContext::use_backplane(std::unique_ptr<Backplane> backplane) {
  backplane_ = std::move(backplane);
}

void ServerContext::stop() {
  models_.stop();
  archive_.reset();
  journal_.reset();
  backplane_.reset();
}

bool ServerContext::journal_failing() const { return journal_ && journal_->failing(); }

void ServerContext::end_round(TimePoint now) {
  crumb_.end_round(/*idle=*/false, now);
  admission_.advance_time(now);
  for (std::size_t model = 0; model < models_.infos().size(); ++model) {
    metrics_.model_load(models_.infos()[model].name, admission_.model_load(model, now));
  }
  metrics_.admission(
      {admission_.network_load(now), admission_.delay_p95(now), admission_.closed(now)});
}

std::vector<Watchdog::Watched> ServerContext::watched() const {
  std::vector<Watchdog::Watched> all = models_.watched();
  all.insert(all.begin(), {"network", &crumb_});
  if (journal_) {
    all.push_back({"journal", &journal_->crumb(), /*vital=*/false});
  }
  return all;
}

std::string ServerContext::make_stream_name() const {
  constexpr std::size_t kNameBytes = 16;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string name = "s-";
  for (const char byte : environment_.random_bytes(kNameBytes)) {
    name += kHex[static_cast<unsigned char>(byte) >> 4U];
    name += kHex[static_cast<unsigned char>(byte) & 0xFU];
  }
  return name;
}

}  // namespace surtitle
