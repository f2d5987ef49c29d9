# shellcheck shell=bash
# Sourced by the scripts under tools and .ci: installs and builds what is missing, and nothing twice.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
mkdir -p build

program_packages=(build-essential cmake ninja-build libboost1.81-dev libeigen3-dev libfast-float-dev librandom123-dev
                  libcli11-dev nlohmann-json3-dev gemmi-dev libtomlplusplus-dev libfmt-dev libtbb-dev zlib1g-dev)
# shellcheck disable=SC2034 # for the scripts that source this file
test_packages=("${program_packages[@]}" libgtest-dev librapidcheck-dev libbenchmark-dev
               gnuplot-nox libopenmpi-dev openmpi-bin)
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

# configure_in FOLDER SOURCE [-DNAME=VALUE]...
configure_in() {
  local folder=$1 source=$2
  shift 2
  mkdir -p "$folder"
  cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" > "$folder/configure.log" 2>&1 || {
    tail -n 30 "$folder/configure.log" >&2
    fail "$folder could not be configured"
  }
}

# debian_source SUITE PACKAGE FOLDER: unpacks the upstream sources of a Debian package, once.
debian_source() {
  local suite=$1 package=$2 folder=$3 apt=$PWD/build/debian-$1
  [[ ! -d $folder ]] || return 0
  mkdir -p "$apt/lists/partial" "$apt/packages"
  # From where this machine has its own packages.
  local mirror
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Component: main' |
    grep -v -- '-security' | head -n 1)
  [[ -n $mirror ]] || fail "apt knows no Debian mirror: apt-get update"
  printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$suite" \
    > "$apt/sources.list"
  local options=(-o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
                 -o Dir::State::Lists="$apt/lists" -o APT::Sandbox::User=root)
  [[ -e $apt/updated ]] || { apt-get "${options[@]}" update > "$apt/log" 2>&1 && touch "$apt/updated"; }
  # Debian's own changes are not needed, and some mirrors lack them; what apt-get has fetched it has checked.
  (cd "$apt/packages" && apt-get "${options[@]}" source --download-only "$package" >> "$apt/log" 2>&1) || true
  local archives=("$apt/packages/$package"_*.orig.tar.*)
  [[ -e ${archives[0]} ]] || fail "the sources of $package could not be fetched; the whole log is $apt/log"
  mkdir -p "$folder.new"
  tar -x -f "${archives[0]}" -C "$folder.new"
  # Some archives have one folder at the top, and some none.
  local inside=("$folder.new"/*)
  ((${#inside[@]} > 1)) || { mv "${inside[0]}" "$folder" && rmdir "$folder.new" && return; }
  mv "$folder.new" "$folder"
}

# debian SUITE ARCHITECTURE FOLDER PACKAGE...: a Debian in a folder, once; of another architecture its files alone
debian() {
  local suite=$1 architecture=$2 folder=$3 archive foreign=
  shift 3
  [[ ! -e $folder/complete ]] || return 0
  ((EUID == 0)) || fail "another Debian can be installed by root alone"
  install_packages debootstrap
  say "installing Debian $suite for $architecture in $folder"
  [[ $architecture == "$(dpkg --print-architecture)" ]] || foreign=--foreign
  rm -rf "$folder"
  debootstrap --arch="$architecture" ${foreign:+"$foreign"} --variant=minbase --include="$(IFS=,; echo "$*")" "$suite" \
    "$folder" > "$folder.log" 2>&1 || {
    tail -n 20 "$folder.log" >&2
    fail "Debian $suite could not be installed; the whole log is $folder.log"
  }
  [[ -z $foreign ]] || for archive in "$folder"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$folder" -f -
  done
  touch "$folder/complete"
}

# header_libraries PREFIX: those without code of their own, apart from the headers of this machine's C library
header_libraries() {
  local prefix=$1 name
  mkdir -p "$prefix/include"
  for name in boost nlohmann fast_float gemmi CLI toml++ Random123; do
    ln -sfn "/usr/include/$name" "$prefix/include/$name"
  done
  (cd /usr && cp -r --parents lib/cmake/FastFloat share/cmake/nlohmann_json share/cmake/CLI11 "$prefix")
}

# python_environment FOLDER BUILD PACKAGE...: an environment with these packages from PyPI, and this one as built in BUILD
python_environment() {
  local environment=$1 log=$1.log build=$2
  shift 2
  say "installing the package into $environment"
  [[ -e $environment/bin/python ]] || python3 -m venv "$environment"
  {
    "$environment/bin/pip" install 'scikit-build-core>=1.1' 'nanobind>=3.1' numpy "$@" &&
      "$environment/bin/pip" install --no-build-isolation --no-deps . \
        --config-settings=build-dir="$build" \
        --config-settings=cmake.define.DPBUDGET_BUILD_TESTS=ON \
        --config-settings=cmake.define.DPBUDGET_BUILD_BENCHMARKS=ON
  } < /dev/null > "$log" 2>&1 || {
    tail -n 50 "$log" >&2
    fail "the package could not be installed; the whole log is $log"
  }
}
