#include "daemon/http/simuleval_api.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json.hpp>
#include <utility>
#include <vector>

#include "daemon/base/json_fields.h"
#include "daemon/base/json_writer.h"
#include "daemon/base/log.h"
#include "daemon/streams/in_process_stream.h"

namespace surtitle {
namespace {

namespace json = boost::json;

// Returns a segment with exactly the keys of SimulEval's class, which receives them as arguments.
std::string text_segment(const std::string& words, bool finished) {
  const std::string content = words.empty() ? "[]" : json_string(words);
  return JsonWriter()
      .field("index", 0)
      .raw_field("content", content)
      .field("finished", finished)
      .field("is_empty", words.empty())
      .raw_field("data_type", words.empty() ? "null" : "\"text\"")
      .raw_field("tgt_lang", "null")
      .raw_field("config", "{}")
      .finish();
}

struct Segment {
  std::string words;
  bool finished = false;
};

// Parses a segment of text or an empty one.
Result<Segment> parse(const std::string& body) {
  boost::system::error_code failure;
  const json::value document = json::parse(body, failure);
  if (failure || !document.is_object()) {
    return RequestError(400, "The segment must be a JSON object.");
  }
  JsonFields fields(document.get_object(), "the segment");
  Segment segment;
  segment.finished = fields.flag("finished");
  if (!fields.flag("is_empty")) {
    segment.words = fields.text("content");
  }
  if (fields.error()) {
    return RequestError(400, *fields.error() + ".");
  }
  return segment;
}

}  // namespace

struct SimulEvalAgent::Evaluation {
  Evaluation(StreamRegistry& streams, const protocol::Start& start,
             const asio::any_io_executor& executor, std::shared_ptr<AuthenticatedClient> client)
      : stream(streams, start, executor, client) {}

  InProcessStream stream;
  std::string held;     // translated text that was not returned: its last word may grow
  bool asked = false;   // a segment arrived since the last /output
  std::string refused;  // the error of all requests until /reset, or ""
  bool finished = false;
  int sentence = 0;   // of the last write in `held`
  bool busy = false;  // handles a request
};

class SimulEvalAgent::Busy {
 public:
  explicit Busy(Evaluation& evaluation) : evaluation_(evaluation) { evaluation_.busy = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { evaluation_.busy = false; }

 private:
  Evaluation& evaluation_;
};

Result<std::shared_ptr<SimulEvalAgent::Evaluation>> SimulEvalAgent::idle_evaluation() const {
  if (!evaluation_) {
    return RequestError(409, "POST /reset must be sent first.");
  }
  if (evaluation_->busy) {
    return RequestError(409, "The previous request is still being answered; send one at a time.");
  }
  return evaluation_;
}

asio::awaitable<Result<HttpResponse>> SimulEvalAgent::reset(const RoutedRequest& request) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  protocol::Start start;
  const ModelPool& pool = streams_.server().models();
  const std::vector<ModelInfo>& models = pool.infos();
  const auto named = std::find_if(models.begin(), models.end(), [&](const ModelInfo& model) {
    return model.name == pool.defaults().model;
  });
  const ModelInfo& model = named == models.end() ? models.front() : *named;
  start.source = model.source_language;
  start.target = model.target_language;
  evaluation_ = std::make_shared<Evaluation>(streams_, start, executor, request.client);
  // A drain waits until all senders are destroyed, this one included.
  evaluation_->stream.when_over([this, executor] {
    asio::post(executor, [this] {
      if (streams_.draining()) {
        evaluation_.reset();
      }
    });
  });
  if (const std::optional<protocol::Error>& error = evaluation_->stream.error()) {
    const RequestError refused = *error;
    evaluation_.reset();
    co_return refused;
  }
  co_return text_response(http::status::ok, "");
}

asio::awaitable<Result<HttpResponse>> SimulEvalAgent::input(const RoutedRequest& request) {
  const Result<std::shared_ptr<Evaluation>> idle = idle_evaluation();
  if (!idle) {
    co_return idle.error();
  }
  Evaluation& evaluation = **idle;
  const Busy busy(evaluation);
  if (!evaluation.refused.empty()) {
    co_return RequestError(400, evaluation.refused);
  }
  const Result<Segment> segment = parse(request.request.body());
  if (!segment) {
    evaluation.refused = segment.error().message;
    co_return segment.error();
  }
  evaluation.asked = true;
  co_await evaluation.stream.send_source(segment->words);
  if (segment->finished && !std::exchange(evaluation.finished, true)) {
    evaluation.stream.finish();
  }
  co_return text_response(http::status::ok, "");
}

asio::awaitable<Result<HttpResponse>> SimulEvalAgent::output(const RoutedRequest& /*request*/) {
  const Result<std::shared_ptr<Evaluation>> idle = idle_evaluation();
  if (!idle) {
    co_return idle.error();
  }
  const Busy busy(**idle);
  Result<HttpResponse> answer = co_await read_output(**idle);
  if (!answer) {  // SimulEval does not print the body of an error
    log(LogLevel::kWarning, "SimulEval request failed", {{"error", answer.error().message}});
  }
  co_return answer;
}

asio::awaitable<Result<HttpResponse>> SimulEvalAgent::read_output(Evaluation& evaluation) {
  if (evaluation.refused.empty() && !std::exchange(evaluation.asked, false)) {
    evaluation.refused =
        "GET /output must follow a PUT /input that was accepted; send POST /reset to start again.";
  }
  if (!evaluation.refused.empty()) {
    co_return RequestError(409, evaluation.refused);
  }
  InProcessStream& stream = evaluation.stream;
  std::string& held = evaluation.held;
  if (!evaluation.finished) {
    co_await stream.wait_idle();
  }
  bool over = false;
  // If the source is finished, waits for the end of the stream. Otherwise reads the messages that
  // are available.
  while (!over && (evaluation.finished || stream.has_message())) {
    const std::optional<protocol::ServerMessage> message = co_await stream.next();
    over = !message;
    if (const auto* write = message ? std::get_if<protocol::Write>(&*message) : nullptr) {
      held += std::exchange(evaluation.sentence, write->sentence) < write->sentence ? " " : "";
      held += write->text;
    }
  }
  if (stream.error()) {
    co_return RequestError(500, stream.error()->message);
  }
  const std::size_t last_space = held.rfind(' ');
  const std::size_t complete = over ? held.size() : std::min(last_space, held.size());
  std::string words = last_space == std::string::npos && !over ? "" : held.substr(0, complete);
  held.erase(0, words.size());
  words.erase(0, words.find_first_not_of(' '));
  co_return json_response(http::status::ok, text_segment(words, over));
}

}  // namespace surtitle
