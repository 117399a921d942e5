// Runs a function with only one available processor.
//
// It runs on a thread of its own, because an affinity mask belongs to a thread.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace surtitle {

template <typename Call>
void on_one_processor(Call call) {
  std::thread([&] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) {
      ++first;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    call();
  }).join();
}

}  // namespace surtitle
