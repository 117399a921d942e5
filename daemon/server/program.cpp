#include "daemon/server/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/access/access_control.h"
#include "daemon/backplane/backplane.h"
#include "daemon/backplane/replica_id.h"
#include "daemon/base/fd_limit.h"
#include "daemon/base/install_paths.h"
#include "daemon/base/log.h"
#include "daemon/base/private_file.h"
#include "daemon/base/watchdog.h"
#include "daemon/http/admin_api.h"
#include "daemon/http/http_context.h"
#include "daemon/http/listener.h"
#include "daemon/http/simuleval_api.h"
#include "daemon/http/static_files.h"
#include "daemon/journal/journal.h"
#include "daemon/journal/sqlite_store.h"
#include "daemon/net/async_event.h"
#include "daemon/net/beast.h"
#include "daemon/server/announcement.h"
#include "daemon/server/event_loop_monitor.h"
#include "daemon/server/preflight.h"
#include "daemon/server/reload.h"
#include "daemon/server/shutdown.h"
#include "daemon/streams/log_writer.h"
#include "daemon/streams/options_from_config.h"
#include "daemon/streams/stream_registry.h"
#include "daemon/streams/transcript_archive.h"
#include "daemon/systemd/blocked_signals.h"
#include "daemon/systemd/inherited_sockets.h"
#include "daemon/systemd/service_manager.h"
#include "daemon/systemd/watchdog_notifier.h"
#include "daemon/telemetry/daemon_metrics.h"
#include "daemon/terminal/manual.h"
#include "daemon/terminal/option_check.h"

namespace surtitle {
namespace {

constexpr int kWrongUsage = 2;

// Returns false if SIGTERM or SIGINT arrives meanwhile.
bool load_models(ServerContext& server, const DaemonConfig& config, const ModelLoader& load,
                 const ServiceManager& manager, const BlockedSignals& signals) {
  const std::vector<std::string> models = config.models.empty() ? shipped_models() : config.models;
  if (models.empty()) {
    throw std::runtime_error("no shipped model was found; set models to a model package");
  }
  std::map<std::string, std::string> from;  // name of a model -> its setting
  for (const std::string& model : models) {
    if (signals.asked_to_end()) {
      return false;
    }
    manager.starting("loading model " + model);
    server.add_model(load(model, config));
    const ModelInfo& info = server.models().infos().back();
    const auto [other, added] = from.emplace(info.name, model);
    if (!added) {
      throw std::runtime_error("two models are named " + info.name + ": " + other->second +
                               " and " + model +
                               "; names must be unique: change the name in one model.yaml");
    }
    log(LogLevel::kInfo, "Model loaded",
        {{"model", info.name},
         {"source", info.source_language},
         {"target", info.target_language},
         {"policy", info.default_policy},
         {"sentence_starts", info.watches_starts ? "yes" : "no"}});
    if (!info.replaced_policy.empty()) {
      log(LogLevel::kWarning,
          "Default policy of the model is not supported on this device; another one is used",
          {{"model", info.name},
           {"unsupported", info.replaced_policy},
           {"policy", info.default_policy}});
    }
    if (info.has_start_classifier && !info.watches_starts) {
      log(LogLevel::kWarning,
          "Classifier of sentence starts is not supported on this device; speech without "
          "punctuation is divided by pauses and length",
          {{"model", info.name}});
    }
  }
  const bool served =
      std::any_of(server.models().infos().begin(), server.models().infos().end(),
                  [&config](const ModelInfo& info) { return info.name == config.default_model; });
  if (!served && !config.default_model.empty()) {
    throw std::runtime_error("default_model must be one of the served models, not '" +
                             config.default_model + "'");
  }
  return !signals.asked_to_end();
}

// `config`: the settings of this file, without the command line.
void warn_if_others_read_password(const std::string& file, const DaemonConfig& config) {
  const bool shared = !config.backplane_url.empty() && config.backplane_url != "none";
  if (shared && !parse_redis_url(config.backplane_url).password.empty()) {
    warn_if_others_may_read(file,
                            "Password in backplane.url is readable by all users of this machine; "
                            "run chmod 640");
  }
}

void warn_if_open(const DaemonConfig& config) {
  if (config.access_open && config.access_tokens.empty() && config.access_key.empty()) {
    log(LogLevel::kWarning,
        "Authentication is off (access.open): every client may send, view and translate",
        {{"address", config.address}});
  }
  if (config.access_open && config.tls_certificate.empty()) {
    log(LogLevel::kWarning, "TLS is off (access.open): words and tokens are sent unencrypted",
        {{"address", config.address}});
  }
}

// Opens the journal for the streams of this process, and with Redis also the backplane. Returns the
// streams that another process left in it.
RecoverableStreams open_journal(StreamRegistry& streams, const DaemonConfig& config) {
  ServerContext& server = streams.server();
  const auto post = [&server](std::function<void()> work) { server.post(std::move(work)); };
  if (config.journal_path == "none") {
    return {};
  }
  const JournalSync sync = journal_sync(config.journal_sync);
  std::unique_ptr<LocalStore> local = open_sqlite_store(journal_file(config.journal_path), sync);
  std::unique_ptr<JournalStore> store;
  if (config.backplane_url.empty() || config.backplane_url == "none") {
    store = std::move(local);
  } else {
    BackplaneOptions shared;
    shared.url = parse_redis_url(config.backplane_url);
    shared.journal_location = journal_location(journal_file(config.journal_path));
    shared.replica = resolve_replica_id(*local, shared);
    shared.retention = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double, std::ratio<3600>>(config.backplane_retention));
    shared.ended_retention =
        std::chrono::duration_cast<std::chrono::milliseconds>(Seconds(config.resume_timeout));
    server.use_backplane(std::make_unique<Backplane>(streams, server.channels(), server.metrics(),
                                                     std::move(shared), post));
    store = server.backplane()->replicate(std::move(local));
  }
  const auto since =
      std::chrono::system_clock::now().time_since_epoch() - Seconds(config.resume_timeout);
  // Replicas show a channel's last stream from Redis.
  const int channels =
      server.backplane() != nullptr ? 0 : static_cast<int>(ChannelOptions().idle_channels);
  RecoverableStreams left = store->load_recoverable(
      std::chrono::duration_cast<std::chrono::milliseconds>(since).count(), channels);
  std::vector<std::string> moved;
  if (server.backplane() != nullptr) {
    moved = server.backplane()->drop_moved_streams(left.summaries);
  }
  JournalOptions options;
  options.on_committed = [&streams, post](std::shared_ptr<const std::vector<std::uint64_t>> rows) {
    post([&streams, rows = std::move(rows)] { streams.on_committed(*rows); });
  };
  options.on_unknown_stream = [&streams, post](std::uint64_t stream) {
    post([&streams, stream] { streams.not_journaled(stream); });
  };
  const Seconds retention =
      std::chrono::duration<double, std::ratio<3600>>(config.journal_retention);
  options.retention = retention;
  server.use_journal(
      std::make_unique<Journal>(std::move(store), server.metrics(), std::move(options)));
  server.use_archive(std::make_unique<TranscriptArchive>(
      TranscriptArchiveOptions{journal_file(config.journal_path), retention}, post,
      server.environment()));
  for (std::string& stream : moved) {
    log(LogLevel::kInfo, "Stream moved to another replica", {{"stream", stream}});
    server.journal()->append(0, {.stream = std::move(stream), .moved = true});
  }
  return left;
}

// Calls StreamRegistry::on_deadline() when it is due, because streams without a connection have no
// other timer.
asio::awaitable<void> keep_time(StreamRegistry& streams, AsyncEvent& changed) {
  while (true) {
    const TimePoint next = streams.deadline().value_or(TimePoint::max());
    co_await changed.wait(next);
    streams.on_deadline(Clock::now());
  }
}

void log_stall(DaemonMetrics& metrics, const Stall& stall) {
  if (stall.over) {
    metrics.stall_over(stall.thread);
  } else {
    metrics.stalled(stall.thread);
  }
  log(LogLevel::kWarning, stall.message(),
      {{"thread", stall.thread}, {"seconds", stall.lasted.count()}});
}

// `replaced`: the next process or another replica will continue the streams of this process.
StreamRegistry::DrainMode drain_mode(const DaemonConfig& config, bool replaced) {
  const bool hands_over = config.drain_mode == "auto" ? replaced : config.drain_mode == "handoff";
  return hands_over ? StreamRegistry::DrainMode::kHandOff : StreamRegistry::DrainMode::kFinish;
}

// Opens the port, or uses the inherited sockets, and serves until the daemon is shut down. Returns
// the exit code.
int serve(asio::io_context& io, StreamRegistry& streams, const DaemonConfig& config,
          const std::vector<InheritedSocket>& sockets, const ServiceManager& manager,
          BlockedSignals& signals) {
  ServerContext& server = streams.server();
  constexpr int kOtherConnections = 256;  // HTTP without an upgrade to WebSocket
  const StaticFiles files(config.web.empty() ? shipped_folder("web")
                                             : std::filesystem::path(config.web));
  const Branding branding(config.pages_logo, config.pages_accent);
  SimulEvalAgent simuleval(streams);
  ServerTls tls({config.tls_certificate, config.tls_key});
  AccessControl access({config.access_tokens, config.access_key});
  ClientLimits limits({config.per_address, config.per_token,
                       parse_networks(config.per_address_exempt),
                       parse_networks(config.trusted_proxies)});
  Watchdog watchdog(to_duration(Seconds(config.watchdog / 1000)), server.watched(),
                    [&server](const Stall& stall) { log_stall(server.metrics(), stall); });
  for (const Watchdog::Watched& thread : server.watched()) {
    server.metrics().watch(thread.thread);
  }
  std::function<void()> drain;
  AdminApi admin_api(streams, config, [&io, &drain] { asio::post(io, drain); });
  const Listener* opened = nullptr;
  const HttpContext context{server,
                            streams,
                            files,
                            branding,
                            simuleval,
                            tls,
                            access,
                            limits,
                            config.access_metrics,
                            HostAllowlist(config.allowed_hosts),
                            config.allowed_origins,
                            to_duration(Seconds(config.timeouts_request)),
                            &admin_api,
                            std::make_shared<std::set<AlignattSession*>>(),
                            [&opened] {
                              return opened == nullptr ? std::vector<std::string>()
                                                       : opened->urls_for_others();
                            },
                            config.allowed_recognisers};
  const Reload reload(io, server.metrics(), manager,
                      {[&access] { access.reload(); }, [&tls] { tls.reload(); },
                       [&server] { server.glossaries().reload(); }});
  const ListenerOptions options{config.address, config.port,
                                config.streams + config.viewers + kOtherConnections, sockets};
  Listener listener(io, options, context);
  opened = &listener;
  const Seconds drain_timeout(config.drain_timeout);
  const bool replaced = !sockets.empty() || server.backplane() != nullptr;
  Shutdown shutdown(io, streams, drain_mode(config, replaced), drain_timeout, [&] {
    listener.stop_accepting_inherited();
    manager.stopping("draining", drain_timeout);
  });
  drain = [&shutdown] { shutdown.drain(); };
  signals.release();
  warn_if_open(config);
  listener.start();
  EventLoopMonitor event_loop_monitor(io, server, watchdog);
  const WatchdogThread watching(watchdog);
  AsyncEvent changed(io.get_executor());
  streams.on_deadline_changed([&changed] { changed.notify(); });
  asio::co_spawn(io, keep_time(streams, changed), asio::detached);
  for (const std::string& url : listener.urls_for_others()) {
    log(LogLevel::kInfo, "URL reachable from other machines", {{"url", url}});
  }
  announce_on_terminal(listener.urls_for_others(), access);
  const std::string url = listener.urls().front();
  std::printf("surtitled ready on %s\n", url.c_str());
  std::fflush(stdout);
  manager.ready("serving on " + url);
  const WatchdogNotifier watchdog_notifier(io, manager, watchdog);
  io.run();
  streams.clear_callbacks();
  return shutdown.forced() ? 1 : 0;
}

// The order at the end matters: first the models stop, because they post to the io_context. Then
// the io_context is destroyed, because its connections need the streams. The streams and their
// context are last.
int load_and_serve(const DaemonConfig& config, const ModelLoader& load) {
  BlockedSignals signals;
  const ServiceEnvironment service = service_environment();
  const ServiceManager manager(service.address, service.watchdog);
  const std::vector<InheritedSocket> sockets = inherited_sockets();
  for (const InheritedSocket& socket : sockets) {
    check_exposure(config, socket.address);
  }
  if (sockets.empty()) {
    check_port(config);
  }
  DaemonMetrics metrics(SURTITLE_VERSION, SURTITLE_REVISION);
  std::optional<LogWriter> stream_logs;
  if (!config.stream_logs.empty()) {
    stream_logs.emplace(open_log_folder(config.stream_logs), metrics);
  }
  std::optional<asio::io_context> io(std::in_place, /*concurrency_hint=*/1);
  const ServerContext::Post post = [&io](std::function<void()> work) {
    asio::post(*io, std::move(work));
  };
  ServerContext server(server_options(config), metrics, post);
  server.glossaries() = ChannelGlossaries({config.glossary_file, channel_glossaries(config)});
  server.log_streams(stream_logs ? &*stream_logs : nullptr);
  StreamRegistry streams(server);
  manager.starting("reading the journal");
  RecoverableStreams left = open_journal(streams, config);
  int exit_code = 0;
  if (load_models(server, config, load, manager, signals)) {
    manager.starting("restoring " + std::to_string(left.summaries.size()) + " journaled streams");
    if (server.backplane() != nullptr) {
      server.backplane()->begin();
    }
    streams.restore(std::move(left));
    exit_code = serve(*io, streams, config, sockets, manager, signals);
  } else {
    log(LogLevel::kInfo, "Start interrupted by a signal");
  }
  streams.stop();
  io.reset();
  log(LogLevel::kInfo, "Daemon stopped");
  return exit_code;
}

// Prints the results of --check. Returns the exit code: 1 if there is an error, otherwise 0.
int check(const DaemonConfig& config, const ModelLoader& load) {
  log_to_stderr(LogFormat::kText, LogLevel::kOff);
  DaemonConfig small = config;
  small.max_sentences = 1;  // needs the least memory
  const auto check_model = [&](const std::string& model) {
    const ModelSource source = load(model, small);
    source.make_translator();  // reads the weights
    return source.name;
  };
  int exit_code = 0;
  for (const CheckResult& finding : check_setup(config, check_model)) {
    std::printf("%s\n", finding.line().c_str());
    exit_code = finding.kind == CheckResult::Kind::kBad ? 1 : exit_code;
  }
  return exit_code;
}

// A field that the command line sets. It is applied after the file.
struct Given {
  const ConfigField* field;
  std::vector<std::string> values;
};

void add_flags(CLI::App& app, std::vector<Given>& given) {
  const DaemonConfig defaults;
  for (const ConfigField& field : config_fields()) {
    const std::string help = field.help + (field.unit.empty() ? "" : " [" + field.unit + "]");
    const auto store = [&given, &field](const std::vector<std::string>& values) {
      given.push_back({&field, values});
    };
    CLI::Option* option =
        app.add_option_function<std::vector<std::string>>(field.flag(), store, help);
    option->type_name(field.list ? "TEXT,..." : field.unit.empty() ? "VALUE" : "NUMBER");
    const std::vector<std::string> fallback = field.get(defaults);
    option->default_str(fallback.empty() ? "" : fallback.front());
    if (field.list) {
      option->delimiter(',');
    } else {
      option->expected(1);
    }
  }
  for (const RenamedField& renamed : renamed_fields()) {
    const auto refuse = [&renamed](const std::vector<std::string>& /*values*/) {
      throw CLI::ValidationError(renamed.flag_message());
    };
    if (const std::string flag = renamed.old_flag(); !flag.empty()) {
      app.add_option_function<std::vector<std::string>>(flag, refuse)->group("")->expected(1);
    }
  }
}

// `config`: the settings of the file, or the defaults.
DaemonConfig configure(DaemonConfig config, const std::vector<Given>& given) {
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

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) != 0) {
    throw std::runtime_error("cannot write to standard output");
  }
}

}  // namespace

int run_daemon(int argc, char** argv, const ModelLoader& load) {
  CLI::App app("surtitled: simultaneous translation as a service", "surtitled");
  app.set_version_flag("-V,--version", std::string("surtitled ") + SURTITLE_VERSION);
  std::string file;
  bool print_config = false;
  bool only_check = false;
  std::vector<Given> given;
  const CLI::Option* config_flag =
      app.add_option("--config", file, "YAML file with the settings below; see --print-config");
  app.add_flag("--print-config", print_config,
               "print the configuration as a commented YAML file and exit");
  app.add_flag(
      "--check", only_check,
      "check whether the daemon would start with this configuration, print a line for each "
      "result and exit");
  add_flags(app, given);
  bool manual = false;
  std::string shell;
  app.add_flag("--manual", manual, "print the options for the manual page")->group("");
  app.add_option("--completion", shell, "print the script that completes options: bash or zsh")
      ->check(one_of({"bash", "zsh"}));
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (const auto problem = option_error(app, arguments)) {
    std::fprintf(stderr, "surtitled: %s\n", problem->c_str());
    return kWrongUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (const auto extra = extra_words_error(app, error)) {
      std::fprintf(stderr, "surtitled: %s\n", extra->c_str());
      return kWrongUsage;
    }
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);  // the reader of the log may have ended
  std::signal(SIGXFSZ, SIG_IGN);  // the log's file may be at its size limit
  try {
    if (manual || !shell.empty()) {
      print(manual ? manual_sections(app)
                   : shell_completion(app, shell == "zsh" ? Shell::kZsh : Shell::kBash));
      return 0;
    }
    DaemonConfig written;
    if (config_flag->count() > 0) {
      read_config(file, written);
    }
    const DaemonConfig config = configure(written, given);
    if (print_config) {
      print(to_yaml(config));
      return 0;
    }
    if (only_check) {
      return check(config, load);
    }
    log_to_stderr(config.log_format == "json" ? LogFormat::kJson : LogFormat::kText,
                  log_level_by_name(config.log_level).value_or(LogLevel::kInfo));
    warn_if_others_read_password(file, written);
    raise_fd_limit();
    return load_and_serve(config, load);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "surtitled: %s\n", error.what());
    return 1;
  }
}

}  // namespace surtitle
