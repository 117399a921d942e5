// Every cross-attention of the tests, in model.yaml's form.
#pragma once

#include <yaml-cpp/yaml.h>

#include <array>
#include <string>

#include "model/package/cross_attention_options.h"

namespace surtitle {

// To test a further one, add a line.
inline constexpr auto kCrossAttentions = std::to_array<const char*>({
    "dot-product",
    "{type: dot-product, temperature: 0.8}",
    "gma",
    "{type: gma, alignment: absolute}",
    "{type: gma, sigma: p/1}",
    "{type: gma, sigma: p/3}",
    "{type: gma, sigma: predicted}",
    "{type: gma, prior: laplace}",
    "{type: gma, prior: linear}",
    "{type: gma, prior: none}",
    "{type: gma, shared_by: none}",
    "{type: gma, shared_by: layers, sigma: predicted}",
    "{type: gma, shared_by: all, alignment: absolute, prior: laplace}",
    "gaussian-mixture",
    "{type: gaussian-mixture, components: 1}",
    "{type: gaussian-mixture, normalisation: strict}",
    "{type: gaussian-mixture, normalisation: none}",
    "{type: gaussian-mixture, gate: average}",
    "{type: gaussian-mixture, gate: mixture}",
    "{type: gaussian-mixture, shared: mean}",
    "{type: gaussian-mixture, shared: variance}",
    "{type: gaussian-mixture, shared: weight}",
    "{type: gaussian-mixture, normalisation: none, shared: mean, gate: average}",
    "{type: gaussian-mixture, normalisation: none, shared: weight}",
    "{type: hard-coded, ratio: 1.2}",
    "localness",
    "luong",
    "{type: luong, score: general}",
    "{type: luong, score: concat}",
    "{type: luong, reach: local-m, window: 2}",
    "{type: luong, reach: local-p, window: 2, score: general}",
    "{type: luong, input_feeding: true}",
    "{type: luong, input_feeding: true, score: concat, reach: local-p, window: 3}",
    "mma",
    "{type: mma, bias: 0, noise: 2}",
    "sact",
    "{type: sact, lambda: 2}",
});

inline CrossAttentions read_cross_attentions(const std::string& text, int decoder_layers) {
  return parse_cross_attentions(YAML::Load(text), "test", decoder_layers);
}

// Returns the variant as a test's name.
inline std::string variant_name(const std::string& text) {
  std::string name;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

}  // namespace surtitle
