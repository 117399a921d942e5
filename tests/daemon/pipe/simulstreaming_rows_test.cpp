#include "daemon/pipe/simulstreaming_rows.h"

#include <gtest/gtest.h>

namespace surtitle {
namespace {

protocol::Write write(int index, const std::string& text) {
  protocol::Write write;
  write.index = index;
  write.text = text;
  return write;
}

TEST(SimulStreamingRows, HaveTheTranslatorsFieldsAndASpaceBeforeEachWord) {
  SimulStreamingRows rows;
  EXPECT_EQ(rows.write(write(0, "Good"), {11.5, 8.02}),
            R"({"emission_time":11.5,"end":8.02,"status":"COMPLETE","text":" Good",)"
            R"("unconfirmed_text":"","is_final":false})");
  EXPECT_EQ(rows.write(write(1, "ness"), {12, {}}),
            R"({"emission_time":12,"end":null,"status":"COMPLETE","text":"ness",)"
            R"("unconfirmed_text":"","is_final":false})");
  EXPECT_EQ(rows.sentence({12.5, 9}),
            R"({"emission_time":12.5,"end":9,"status":"COMPLETE","text":"",)"
            R"("unconfirmed_text":"","is_final":true})");
  // The first piece may have had no text of its own.
  EXPECT_NE(rows.write(write(1, "Next"), {13, 9}).find("\" Next\""), std::string::npos);
}

}  // namespace
}  // namespace surtitle
