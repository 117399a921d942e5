#!/usr/bin/env bash
# Compiles the CPU's kernels and their tests for Arm (aarch64), and runs them in an emulator.
# Exit status 77: the cross compiler, the emulator or GoogleTest's sources are missing.
set -euo pipefail

source=$1 folder=$2
compiler=aarch64-linux-gnu-g++
gtest=/usr/src/googletest/googletest
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if ! command -v $compiler >/dev/null || [[ ! $emulator || ! -d $gtest ]]; then
  echo "skipped: needs $compiler, qemu-aarch64 and $gtest (Debian: g++-aarch64-linux-gnu qemu-user libgtest-dev)"
  exit 77
fi

mkdir -p "$folder"
cd "$folder"
launcher=$(command -v ccache || true)
objects=()
compile() {
  local object
  object=$(basename "${1%.*}").o
  $launcher $compiler -std=c++20 -O1 -Wno-psabi -I"$source" -I$gtest/include -I$gtest -c "$1" -o "$object"
  objects+=("$object")
}
for unit in model/cpu/{byte_kernels,byte_kernels_avx2,byte_kernels_avx512_vnni,byte_kernels_avx_vnni} \
  model/cpu/{byte_kernels_dot_product,instruction_set,int8_matrix,kv_cache,packed_matrix} \
  model/cpu/{sparse_input_matrix,vector_math} \
  model/util/{demand_paged_memory,row_quantization} \
  tests/model/cpu/{avx_vnni_as_evex,byte_kernels_test,int8_matrix_test,kv_cache_test,packed_matrix_test} \
  tests/model/cpu/{sparse_input_matrix_test,vector_math_test}; do
  compile "$source/$unit.cpp"
done
compile $gtest/src/gtest-all.cc
compile $gtest/src/gtest_main.cc
$compiler -static "${objects[@]}" -o kernels_test -lpthread
for instructions in plain dotprod; do
  SURTITLE_INSTRUCTIONS=$instructions "$emulator" ./kernels_test --gtest_brief=1
done
