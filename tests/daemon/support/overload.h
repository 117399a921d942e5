// A daemon that has time for few, and who takes it all.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/daemon/support/wire.h"

namespace surtitle {

// A token takes 50 ms, so that two speakers take 80 % of the model's time.
inline const std::vector<std::string> kSlow{"--models",
                                            "slow",
                                            "--max-sentences",
                                            "2",
                                            "--admission-max-load",
                                            "0.9",
                                            "--admission-max-delay-p95",
                                            "10000"};
// A daemon that has time for one, whatever it says.
inline const std::vector<std::string> kForOne{"--models",
                                              "slow",
                                              "--max-sentences",
                                              "2",
                                              "--admission-max-load",
                                              "0.01",
                                              "--admission-max-delay-p95",
                                              "10000"};
inline const char* const kRefused = "surtitle_errors_total{code=\"overloaded\"}";

// Begins streams until one is refused, and returns what that was told.
inline std::vector<boost::json::object> fill(int port, std::vector<TestClient>& streams) {
  while (true) {
    TestClient client(port, "/v1/stream");
    send(client, start_message());
    const auto first = client.read();
    if (!first || type_of(*first) == "error") {
      std::vector<boost::json::object> told = client.read_to_end();
      told.insert(told.begin(), first.value_or(boost::json::object()));
      EXPECT_EQ(client.close_code(), 1013);
      return told;
    }
    streams.push_back(std::move(client));
  }
}

}  // namespace surtitle
