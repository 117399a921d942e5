#include "daemon/server/announcement.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>

#include "daemon/base/qr_code.h"

namespace surtitle {
namespace {

constexpr std::string_view kChannel = "main";  // of the console and of run.sh
constexpr std::chrono::hours kValidity{24};

}  // namespace

std::string announcement(const std::vector<std::string>& urls, const AccessControl& access,
                         CalendarSeconds now) {
  if (urls.empty()) {
    return "Only this machine can open the pages; docs/operations/security.md opens them to "
           "phones.\n";
  }
  std::string link = urls.front() + "c/" + std::string(kChannel);
  std::string note;
  const CalendarSeconds expires = now + kValidity;
  if (const auto token = access.sign({Role::kView, std::string(kChannel), expires})) {
    link += "?token=" + *token;
    note = "The code is an invitation until " + to_text(expires) + ".\n";
  } else if (access.auth_enabled()) {
    note = "Viewers also need a token: the code has none, as access.key is not set.\n";
  }
  std::string text = "Subtitles of the channel " + std::string(kChannel) + ": " + link + "\n";
  if (const auto code = QrCode::make(link)) {
    text += code->terminal_text();
  }
  text += note;
  for (std::size_t i = 1; i < urls.size(); ++i) {
    text += (i == 1 ? "Other URLs of this machine: " : ", ") + urls[i];
  }
  return urls.size() > 1 ? text + "\n" : text;
}

void announce_on_terminal(const std::vector<std::string>& urls, const AccessControl& access) {
  std::FILE* const terminal = isatty(STDERR_FILENO) != 0   ? stderr
                              : isatty(STDOUT_FILENO) != 0 ? stdout
                                                           : nullptr;
  if (terminal == nullptr) {
    return;
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string text = announcement(urls, access, now);
  std::fwrite(text.data(), 1, text.size(), terminal);  // a closed terminal does not end the daemon
  std::fflush(terminal);
}

}  // namespace surtitle
