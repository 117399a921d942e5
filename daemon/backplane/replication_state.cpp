#include "daemon/backplane/replication_state.h"

#include <array>
#include <cstddef>

namespace surtitle {
namespace {

using enum ReplicationState;

constexpr std::size_t kStates = 6;
constexpr std::size_t kEvents = 7;

// A row for each state, a column for each event, in the order of the enumerations.
// clang-format off
constexpr std::array<std::array<ReplicationState, kEvents>, kStates> kTable{{
// Appended      OffsetLost    RedisReplaced LacksEntries  HasAll        Failed        Released
  {kUnknown,     kUnknown,     kUnknown,     kBehind,      kReplicated,  kQuarantined, kRetained},
  {kBehind,      kUnknown,     kUnknown,     kBehind,      kReplicated,  kQuarantined, kRetained},
  {kBehind,      kUnknown,     kUnknown,     kBehind,      kReplicated,  kQuarantined, kRetained},
  {kQuarantined, kQuarantined, kUnknown,     kRecovering,  kReplicated,  kQuarantined, kRetained},
  {kRecovering,  kQuarantined, kUnknown,     kRecovering,  kReplicated,  kQuarantined, kRetained},
  {kRetained,    kRetained,    kUnknown,     kRetained,    kRetained,    kRetained,    kRetained},
}};
// clang-format on

}  // namespace

ReplicationState next_state(ReplicationState state, ReplicationEvent event) noexcept {
  return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

bool is_lagging(ReplicationState state) noexcept {
  return state != kReplicated && state != kRetained;
}

bool in_quarantine(ReplicationState state) noexcept {
  return state == kQuarantined || state == kRecovering;
}

bool offset_known(ReplicationState state) noexcept {
  return state == kBehind || state == kReplicated || state == kRecovering;
}

}  // namespace surtitle
