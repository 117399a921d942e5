// Policy that reads and writes in fixed turns: STATIC-RW (Dalvi et al. 2018, "Incremental Decoding
// and Training Methods for Simultaneous Translation in Neural Machine Translation").
//
// It reads S tokens first, then alternately writes RW and reads RW.
//
// Target step i (from 0) sees S + RW floor(i / RW) tokens. With RW = 1 it is wait-k.
#pragma once

#include "policies/policy.h"

namespace surtitle {

class StaticRwPolicy final : public Policy {
 public:
  // s: tokens read before the first write; rw: tokens of each later run of writes and of reads. A
  // larger value of either costs delay. Throws std::invalid_argument unless both are at least 1.
  StaticRwPolicy(int s, int rw);

  int visible_source(int target_index, double aligned_position) const override;
  std::string name() const override { return "static-rw"; }
  std::string spec() const override;

  int s() const noexcept { return s_; }
  int rw() const noexcept { return rw_; }

 private:
  int s_;
  int rw_;
};

}  // namespace surtitle
