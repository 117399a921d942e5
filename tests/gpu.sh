#!/usr/bin/env bash
# Tests and measures the CUDA module on a machine with a device. It builds in build-cuda/, runs the module's tests, and
# measures the engine: tokens/s of 1 to 4096 sentences, and its share of the bandwidth of copies in the device's memory.
# It needs a CUDA toolkit from version 12 on with cuBLAS, CMake, and the packages of deploy/install.sh --tests, but no
# LibTorch. With --built, it runs the present programs of build-cuda/. Without a device, the tests run emulated and there is
# no measurement.
set -euo pipefail

usage='usage: tests/gpu.sh [--built]'
built=
for argument in "$@"; do
  case $argument in
    --built) built=1 ;;
    -h | --help) echo "$usage" && exit ;;
    *) echo "gpu.sh: unknown argument $argument; $usage" >&2 && exit 2 ;;
  esac
done
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build-cuda

if [[ ! $built ]]; then
  generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  cmake --log-level=WARNING "${generator[@]}" -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DSURTITLE_TORCH=OFF -DSURTITLE_CUDA=ON
  cmake --build "$build" --parallel "$(nproc)" \
    --target cuda_test surtitle surtitle_cuda surtitle_sentencepiece
fi

"$build/cuda_test"
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi --list-gpus | grep -q .; then
  echo 'No CUDA device on this machine: the tests of a device were skipped, and nothing was measured.'
  exit
fi

# Finds accesses outside of buffers, and missing synchronisation of threads, if the tool is installed.
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/cuda_test" \
      --gtest_filter='Cuda/CudaInferenceOn.EveryArchitectureIsTheCpus/Device:Cuda/CudaInferenceOn.GoldenModelInHalfPrecision/Device'
  done
fi

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
for model in de-en-gma de-en-multipath; do
  "$build/surtitle" bench --device cuda --model "$model"
done
