# shellcheck shell=bash
# Sourced by tools/quickstart, tools/test and .ci/run: installs and builds what is missing, and nothing twice.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
mkdir -p build

program_packages=(build-essential cmake ninja-build libboost1.81-dev libeigen3-dev libfast-float-dev librandom123-dev
                  libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libtbb-dev zlib1g-dev)
# shellcheck disable=SC2034 # for the scripts that source this file
test_packages=("${program_packages[@]}" libgtest-dev librapidcheck-dev libbenchmark-dev
               gnuplot-nox)
# shellcheck disable=SC2034
check_packages=(clang-format-19 clang-tidy-19 python3-minimal)

say() { printf 'dpbudget: %s\n' "$*"; }

fail() {
  printf 'dpbudget: %s\n' "$*" >&2
  exit 1
}

# install_packages NAME...
install_packages() {
  command -v dpkg-query apt-get > /dev/null ||
    fail "no apt-get here: install what these Debian packages hold, then run 'cmake --preset release': $*"

  local name missing=()
  for name in "$@"; do
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2> /dev/null) == installed ]] || missing+=("$name")
  done
  if ((${#missing[@]} == 0)); then
    say "all $# packages are installed"
    return
  fi

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo > /dev/null || fail "neither root nor sudo: ask for these packages to be installed: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  {
    "${as_root[@]}" apt-get update &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
  } < /dev/null > build/packages.log 2>&1 || {
    tail -n 20 build/packages.log >&2
    fail "the packages could not be installed; the whole log is build/packages.log"
  }
}

# configure PRESET [NAME=ON|OFF]...: only when the folder is new or one of the values is another there. The build itself
# notices a change of the build files.
configure() {
  local preset=$1 setting wanted=no
  shift
  [[ -e build/$preset/build.ninja ]] || wanted=yes
  for setting in "$@"; do
    grep -qs "^${setting/=/:BOOL=}\$" "build/$preset/CMakeCache.txt" || wanted=yes
  done
  [[ $wanted == yes ]] || return 0
  say "configuring build/$preset"
  cmake --preset "$preset" "${@/#/-D}" > "build/configure-$preset.log" 2>&1 || {
    cat "build/configure-$preset.log" >&2
    fail "build/$preset could not be configured"
  }
}

# build PRESET [TARGET]...
build() {
  local preset=$1
  shift
  say "building ${*:-everything} in build/$preset"
  cmake --build --preset "$preset" --parallel "$(nproc)" ${1+--target "$@"}
}
