// A recorded run of SimulEval against the scripted daemon: its requests byte by byte, the answers,
// and the log that SimulEval wrote.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/instance_log.h"
#include "metrics/text.h"
#include "tests/daemon/support/daemon_process.h"
#include "tests/daemon/support/test_client.h"

namespace surtitle {
namespace {

namespace json = boost::json;

const std::filesystem::path kRecorded = SURTITLE_SOURCE_DIR "/tests/data/simuleval";

std::vector<json::object> exchange() {
  std::ifstream file(kRecorded / "exchange.jsonl");
  std::vector<json::object> requests;
  for (std::string line; std::getline(file, line);) {
    requests.push_back(json::parse(line).as_object());
  }
  return requests;
}

std::string text(const json::object& object, std::string_view field) {
  return std::string(object.at(field).as_string());
}

// Computes the predictions and delays that simuleval/evaluator/instance.py has after the requests.
class Evaluator {
 public:
  void add(const std::string& request, const std::string& body, const std::string& answer) {
    if (request.starts_with("POST /reset")) {
      instances_.emplace_back();
      step_ = 0;
      return;
    }
    const json::object segment = json::parse(body.empty() ? answer : body).as_object();
    if (segment.at("is_empty").as_bool()) {
      return;
    }
    if (request.starts_with("PUT /input")) {
      ++step_;
      return;
    }
    Instance& instance = instances_.back();
    for (const std::string_view word : python_split(segment.at("content").as_string())) {
      instance.prediction =
          instance.prediction.value_or("").append(instance.delays.empty() ? "" : " ");
      instance.prediction->append(word);
      instance.delays.push_back(step_);
    }
  }

  const std::vector<Instance>& instances() const { return instances_; }

 private:
  std::vector<Instance> instances_;
  int step_ = 0;  // words sent
};

TEST(SimulEvalRecording, AnswersAndLogAreAsRecorded) {
  const DaemonProcess daemon({"--default-policy", "wait-k:k=2"});
  const std::vector<json::object> requests = exchange();
  ASSERT_EQ(requests.size(), 50U);
  Evaluator evaluator;
  for (const json::object& recorded : requests) {
    const std::string request = text(recorded, "request");
    const std::string body = text(recorded, "body");
    const HttpAnswer answer = ask_http(daemon.port(), request, text(recorded, "headers"), body);
    EXPECT_EQ(answer.status, recorded.at("status").as_int64()) << request << body;
    EXPECT_EQ(answer.body, text(recorded, "answer")) << request << body;
    evaluator.add(request, body, answer.body);
  }

  const std::vector<Instance> logged = read_instances(kRecorded / "instances.log");
  ASSERT_EQ(evaluator.instances().size(), logged.size());
  for (std::size_t i = 0; i < logged.size(); ++i) {
    EXPECT_EQ(evaluator.instances()[i].delays, logged[i].delays);
    EXPECT_EQ(evaluator.instances()[i].prediction.value_or(""), logged[i].prediction);
  }
}

}  // namespace
}  // namespace surtitle
