// Slow daemons, and streams that use all of their time.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/daemon/support/wire.h"

namespace surtitle {

// A token takes 50 ms: two streams at the pace of speech take 80 % of the model's time.
inline const std::vector<std::string> kSlow{"--models",
                                            "slow",
                                            "--max-sentences",
                                            "2",
                                            "--admission-max-load",
                                            "0.9",
                                            "--admission-max-delay-p95",
                                            "10000"};
// A daemon that has time for one stream only, however little that sends.
inline const std::vector<std::string> kForOne{"--models",
                                              "slow",
                                              "--max-sentences",
                                              "2",
                                              "--admission-max-load",
                                              "0.01",
                                              "--admission-max-delay-p95",
                                              "10000"};
inline const char* const kRefused = "surtitle_errors_total{code=\"overloaded\"}";

// Starts streams until one is rejected, and returns the messages that this one received.
inline std::vector<boost::json::object> fill(int port, std::vector<TestClient>& streams) {
  while (true) {
    TestClient client(port, "/v1/stream");
    send(client, start_message());
    const auto first = client.read();
    if (!first || type_of(*first) == "error") {
      std::vector<boost::json::object> received = client.read_to_end();
      received.insert(received.begin(), first.value_or(boost::json::object()));
      EXPECT_EQ(client.close_code(), 1013);
      return received;
    }
    streams.push_back(std::move(client));
  }
}

}  // namespace surtitle
