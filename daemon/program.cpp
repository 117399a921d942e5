#include "daemon/program.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/backplane/backplane.h"
#include "daemon/beast.h"
#include "daemon/daemon_metrics.h"
#include "daemon/http_session.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/listener.h"
#include "daemon/log_writer.h"
#include "daemon/many_sockets.h"
#include "daemon/reload.h"
#include "daemon/shipped.h"
#include "daemon/shutdown.h"
#include "daemon/signal.h"
#include "daemon/simuleval_agent.h"
#include "daemon/static_files.h"

namespace surtitle {
namespace {

constexpr int kWrongUsage = 2;

void log_to_stderr(const std::string& level) {
  const auto logger = std::make_shared<spdlog::logger>(
      "surtitled", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

HubOptions hub_options(const DaemonConfig& config) {
  HubOptions options;
  options.limits = {config.message_bytes,    config.sentence_words,    1,
                    config.queued_words,     config.outgoing_messages, config.outgoing_bytes,
                    config.sentence_silence, config.idle_seconds};
  options.streams = config.streams;
  options.viewers = config.viewers;
  options.start_seconds = Seconds(config.request_seconds);
  options.resume = Seconds(config.resume);
  options.inbox_commands = static_cast<std::size_t>(config.inbox_commands);
  options.defaults = {unless_empty(config.default_model), unless_empty(config.default_policy)};
  return options;
}

void load_models(Hub& hub, const DaemonConfig& config, const ModelLoader& load) {
  const std::vector<std::string> models = config.models.empty() ? shipped_models() : config.models;
  if (models.empty()) {
    throw std::runtime_error("no model is shipped; name one in the field models");
  }
  std::map<std::string, std::string> from;  // what each name was loaded from
  for (const std::string& model : models) {
    hub.add_model(load(model, config));
    const ModelInfo& info = hub.models().back();
    const auto [other, added] = from.emplace(info.name, model);
    if (!added) {
      throw std::runtime_error("two models are named " + info.name + ": " + other->second +
                               " and " + model +
                               "; streams ask for models by name, so give one another name in its "
                               "model.yaml");
    }
    spdlog::info("model {}: {} to {}, policy {}", info.name, info.source_language,
                 info.target_language, info.default_policy);
  }
  for (const ModelInfo& info : hub.models()) {
    if (info.name == config.default_model) {
      return;
    }
  }
  if (!config.default_model.empty()) {
    throw std::runtime_error("default_model " + config.default_model +
                             " is not among the models that are served");
  }
}

void warn_where_open(const DaemonConfig& config) {
  if (config.access_open && config.access_tokens.empty() && config.access_key.empty()) {
    spdlog::warn("access.open: whoever reaches {} may send, watch and translate", config.address);
  }
  if (config.access_open && config.tls_certificate.empty()) {
    spdlog::warn("access.open: words and tokens go to and from {} unencrypted", config.address);
  }
}

// Streams that another process left, and from now on all of this one's.
std::vector<JournaledStory> open_journal(Hub& hub, const DaemonConfig& config,
                                         DaemonMetrics& metrics, const Hub::Post& post) {
  if (config.journal_path == "none") {
    return {};
  }
  const auto sync = config.journal_sync == "full" ? JournalSync::kFull : JournalSync::kNormal;
  std::unique_ptr<LocalStore> local = open_sqlite_store(journal_file(config.journal_path), sync);
  std::unique_ptr<JournalStore> store;
  if (config.backplane_url.empty() || config.backplane_url == "none") {
    store = std::move(local);
  } else {
    BackplaneOptions shared;
    shared.url = parse_redis_url(config.backplane_url);
    shared.replica = local->identity();
    shared.keep = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double, std::ratio<3600>>(config.backplane_keep));
    hub.use_backplane(std::make_unique<Backplane>(hub, std::move(shared), post));
    store = hub.backplane()->mirror(std::move(local));
  }
  const auto since = std::chrono::system_clock::now().time_since_epoch() - Seconds(config.resume);
  std::vector<JournaledStory> stories =
      store->read_since(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
  std::vector<std::string> gone;
  if (hub.backplane() != nullptr) {
    stories = hub.backplane()->still_here(std::move(stories), gone);
  }
  JournalOptions options;
  options.stored = [&hub, post](std::vector<std::uint64_t> streams) {
    post([&hub, streams = std::move(streams)] { hub.stored(streams); });
  };
  options.keep = std::chrono::duration<double, std::ratio<3600>>(config.journal_keep);
  hub.use_journal(std::make_unique<Journal>(std::move(store), metrics, std::move(options)));
  for (std::string& stream : gone) {
    spdlog::info("stream {}: has gone on on another replica", stream);
    hub.journal()->append(0, {.stream = std::move(stream), .moved = true});
  }
  return stories;
}

// Streams without a connection have nobody else to keep the time for them.
asio::awaitable<void> keep_time(Hub& hub, Signal& changed) {
  while (true) {
    const TimePoint next = hub.deadline().value_or(TimePoint::max());
    co_await changed.wait(next);
    hub.tick(Clock::now());
  }
}

// Opens the port and serves until the end; returns the exit code.
int serve(asio::io_context& io, Hub& hub, const DaemonConfig& config) {
  constexpr int kOtherConnections = 256;  // plain HTTP
  const StaticFiles files(config.web.empty() ? shipped_folder("web")
                                             : std::filesystem::path(config.web));
  SimulEvalAgent simuleval(hub);
  ServerTls tls({config.tls_certificate, config.tls_key});
  AccessControl access({config.access_tokens, config.access_key});
  ClientLimits limits({config.per_address, config.per_token,
                       parse_networks(config.per_address_exempt),
                       parse_networks(config.access_proxies)});
  const HttpContext context{hub,
                            files,
                            simuleval,
                            tls,
                            access,
                            limits,
                            config.access_metrics,
                            Hosts(config.hosts),
                            config.origins,
                            to_duration(Seconds(config.request_seconds))};
  const Reload reload(io, hub.metrics(),
                      {[&access] { access.reload(); }, [&tls] { tls.reload(); }});
  const ListenerOptions options{config.address, config.port,
                                config.streams + config.viewers + kOtherConnections};
  Listener listener(io, options, context);
  const Shutdown shutdown(io, hub, Seconds(config.drain_timeout));
  warn_where_open(config);
  asio::co_spawn(io, listener.accept(), asio::detached);
  Signal changed(io.get_executor());
  hub.when_deadline_changes([&changed] { changed.notify(); });
  asio::co_spawn(io, keep_time(hub, changed), asio::detached);
  std::printf("surtitled ready on %s\n",
              listener.url(tls.context() == nullptr ? "http" : "https").c_str());
  std::fflush(stdout);
  io.run();
  return shutdown.forced() ? 1 : 0;
}

// The models post to the io_context until they are stopped, and the connections that it still holds
// need the hub: first the models end, then the io_context, then the hub.
int load_and_serve(const DaemonConfig& config, const ModelLoader& load) {
  DaemonMetrics metrics(SURTITLE_VERSION);
  std::optional<LogWriter> stream_logs;
  if (!config.stream_logs.empty()) {
    stream_logs.emplace(open_log_folder(config.stream_logs), metrics);
  }
  std::optional<asio::io_context> io(std::in_place, /*concurrency_hint=*/1);
  const Hub::Post post = [&io](std::function<void()> work) { asio::post(*io, std::move(work)); };
  Hub hub(hub_options(config), metrics, post);
  hub.log_streams(stream_logs ? &*stream_logs : nullptr);
  std::vector<JournaledStory> stories = open_journal(hub, config, metrics, post);
  load_models(hub, config, load);
  if (hub.backplane() != nullptr) {
    hub.backplane()->begin();
  }
  hub.restore(std::move(stories));
  const int exit_code = serve(*io, hub, config);
  hub.stop();
  io.reset();
  spdlog::info("ended");
  return exit_code;
}

// The command line's values, applied after the file's.
struct Given {
  const ConfigField* field;
  std::vector<std::string> values;
};

void add_flags(CLI::App& app, std::vector<Given>& given) {
  for (const ConfigField& field : config_fields()) {
    const std::string help = field.help + (field.unit.empty() ? "" : " [" + field.unit + "]");
    const auto take = [&given, &field](const std::vector<std::string>& values) {
      given.push_back({&field, values});
    };
    CLI::Option* option =
        app.add_option_function<std::vector<std::string>>(field.flag(), take, help);
    option->type_name(field.list ? "TEXT,..." : field.unit.empty() ? "VALUE" : "NUMBER");
    const std::vector<std::string> fallback = field.get(DaemonConfig());
    option->default_str(fallback.empty() ? "" : fallback.front());
    if (field.list) {
      option->delimiter(',');
    } else {
      option->expected(1);
    }
  }
}

DaemonConfig configure(const std::optional<std::string>& file, const std::vector<Given>& given) {
  DaemonConfig config;
  if (file) {
    read_config(*file, config);
  }
  for (const Given& flag : given) {
    try {
      flag.field->set(config, flag.values);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(flag.field->flag() + " " + error.what());
    }
  }
  check_config(config);
  return config;
}

}  // namespace

int run_daemon(int argc, char** argv, const ModelLoader& load) {
  CLI::App app("surtitled: simultaneous translation as a service", "surtitled");
  app.set_version_flag("--version", std::string("surtitled ") + SURTITLE_VERSION);
  std::string file;
  bool print = false;
  std::vector<Given> given;
  const CLI::Option* config_flag =
      app.add_option("--config", file, "file with the fields below, see --print-config");
  app.add_flag("--print-config", print, "print the configuration as a commented file and end");
  add_flags(app, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);  // the daemon outlives whoever reads its log
  std::signal(SIGXFSZ, SIG_IGN);  // and a log that may not grow
  try {
    const DaemonConfig config =
        configure(config_flag->count() > 0 ? std::optional(file) : std::nullopt, given);
    if (print) {
      std::fputs(to_yaml(config).c_str(), stdout);
      return 0;
    }
    log_to_stderr(config.log_level);
    allow_many_sockets();
    return load_and_serve(config, load);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "surtitled: %s\n", error.what());
    return 1;
  }
}

}  // namespace surtitle
