#!/usr/bin/env bash
# Installs the missing packages that Surtitle needs to build and to run, on Debian 12 and 13.
#   --tests     also the packages for tests
#   --package   the packages for making Debian packages, without training
#   --training  also a LibTorch for training, in .libtorch, if the system's is older than 2.6
set -euo pipefail

usage='usage: deploy/install.sh [--tests | --package] [--training]'
tests='' package='' training=''
for argument in "$@"; do
  case $argument in
    --tests) tests=1 ;;
    --package) package=1 ;;
    --training) training=1 ;;
    -h | --help) echo "$usage" && exit ;;
    *) echo "install.sh: unknown argument $argument; $usage" >&2 && exit 2 ;;
  esac
done

release() {  # prints the value of a field of os-release, if it exists
  # shellcheck source=/dev/null
  (. /etc/os-release && echo "${!1-}") 2>/dev/null || true
}

boost=1.81
[[ $(release VERSION_ID) == 13 ]] && boost=1.83

packages=(g++ cmake ninja-build "libboost$boost-dev" "libboost-json$boost-dev" libsentencepiece-dev libyaml-cpp-dev
  libcli11-dev libspdlog-dev prometheus-cpp-dev libsqlite3-dev libssl-dev libhiredis-dev libicu-dev
  libqrencode-dev zlib1g-dev libzip-dev)
if [[ $package ]]; then
  packages+=(dpkg-dev file npm)
else
  # LibTorch runs on any BLAS, of which OpenBLAS is fast. Its OpenMP build shares one pool of threads with LibTorch. The
  # default build has threads of its own, which wait by spinning and take the cores of that pool.
  packages+=(libtorch-dev libopenblas0-openmp)
fi
if [[ $tests ]]; then
  # python3-torch is for the import of fairseq checkpoints, python3-websockets for the Python client, and jq and gnuplot for
  # the tables and the figure of model/variants. espeak-ng makes speech, which pocketsphinx recognises. mypy checks the
  # types of the Python client, which pip installs by setuptools.
  packages+=(libgtest-dev libgmock-dev libbenchmark-dev python3-torch python3-websockets jq gnuplot-nox espeak-ng sox
    pocketsphinx pocketsphinx-en-us mypy python3-pip python3-setuptools python3-wheel)
  # clang has the sanitizers and libFuzzer; lld links their programs in a fraction of the time. clang-format and clang-tidy
  # are for tests/lint.sh.
  packages+=(clang libclang-rt-dev lld valgrind clang-format clang-tidy)
  # The CPU's kernels for Arm are compiled and run in an emulator.
  packages+=(g++-aarch64-linux-gnu qemu-user)
  # The tools that check the recipes of deploy/: promtool, nginx -t, haproxy -c, systemd-analyze, lintian, dpkg-shlibdeps.
  # Tests of replicas use a real Redis.
  packages+=(prometheus nginx haproxy systemd lintian dpkg-dev openssl redis-server)
  # These may have been installed from elsewhere.
  command -v chromium >/dev/null || packages+=(chromium)
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
fi

[[ $training ]] && ! python3 -m pip --version >/dev/null 2>&1 && packages+=(python3-pip)

if ! command -v dpkg-query >/dev/null || [[ " $(release ID) $(release ID_LIKE) " != *" debian "* ]]; then
  echo "install.sh: no package installed, because this system is not Debian; install the equivalents of" \
    "${packages[*]}" >&2
  exit 1
fi

# PyTorch's wheel for Linux contains LibTorch for C++ with the ABI of Debian's libraries. Fast bfloat16 products need a
# recent oneDNN, which LibTorch 1.13 of Debian 12 lacks: training with it takes twice as long.
install_libtorch() {
  local root version=2.13.0 system wheels
  [[ $training ]] || return 0
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
  system=$(dpkg-query --show --showformat '${Version}' libtorch-dev 2>/dev/null) || system=0
  if dpkg --compare-versions "$system" ge 2.6 || [[ -e $root/.libtorch/torch/share/cmake/Torch/TorchConfig.cmake ]]; then
    return 0
  fi
  echo "Installing LibTorch $version in .libtorch" >&2
  wheels=$(mktemp -d)
  python3 -m pip download --quiet --no-deps --dest "$wheels" "torch==$version"
  rm -rf "$root/.libtorch"
  python3 -m zipfile -e "$wheels"/torch-*.whl "$root/.libtorch"
  rm -rf "$wheels" "$root/.libtorch"/{functorch,torchgen}
}

installed=$(dpkg-query --show --showformat '${Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
  sed -n 's/^install ok installed //p') || true
mapfile -t missing < <(comm -23 <(printf '%s\n' "${packages[@]}" | sort) <(sort <<<"$installed"))
if ((${#missing[@]} == 0)); then
  install_libtorch
  exit
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "install.sh: cannot install ${missing[*]}: this needs root, and sudo is missing; run" \
      "deploy/install.sh as root once" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing ${missing[*]}" >&2
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120)

# Only the programs of servers are needed: policy-rc.d keeps their packages from starting them.
policy=/usr/sbin/policy-rc.d
if [[ $tests && ! -e $policy ]]; then
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
  "${as_root[@]}" install -m 755 /dev/stdin "$policy" <<<$'#!/bin/sh\nexit 101'
fi
"${apt[@]}" update
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}"
install_libtorch
