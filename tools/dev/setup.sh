# Brings what a bare Debian 12 lacks: packages, the V8 library, the bundled npm libraries. Quick when all is there.

V8_GEM=libv8-node
V8_GEM_VERSION=24.12.0.1
V8_SHA256=e1236be4765edc109bd6ecef2989cf781bdcbac6f6e2cb3236ec9568540a9cfa
CACHE=${GYRE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/gyre}
V8_DIR=$CACHE/v8-$V8_GEM_VERSION

PACKAGES=(clang-19 lld-19 llvm-19 libclang-rt-19-dev clang-format-19 clang-tidy-19 ccache ninja-build cmake g++ ruby npm
  ca-certificates git python3 libssl-dev zlib1g-dev libbrotli-dev libzstd-dev libc-ares-dev libnghttp2-dev liburing-dev libsqlite3-dev
  libgtest-dev wrk curl)

say() { printf '\033[1m[dev]\033[0m %s\n' "$*" >&2; }

has_package() {
  # Where a tool comes from elsewhere than Debian, the tool is what counts.
  case "$1" in
    npm|ruby|git|python3|cmake|curl|wrk|ccache) command -v "$1" >/dev/null && return 0 ;;
    ninja-build) command -v ninja >/dev/null && return 0 ;;
  esac
  dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

setup_packages() {
  local missing=() package
  for package in "${PACKAGES[@]}"; do has_package "$package" || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]}"
  local sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -q >&2
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "${missing[@]}" >&2
}

setup_v8() {
  [ -f "$V8_DIR/lib/libv8_monolith.a" ] && return
  say "fetching V8 ($V8_GEM $V8_GEM_VERSION)"
  local work
  work=$(mktemp -d)
  (
    cd "$work"
    gem fetch "$V8_GEM" -v "$V8_GEM_VERSION" --platform x86_64-linux >&2
    local file=$V8_GEM-$V8_GEM_VERSION-x86_64-linux.gem
    echo "$V8_SHA256  $file" | sha256sum --check --quiet >&2
    gem unpack "$file" >&2
    local vendor=$V8_GEM-$V8_GEM_VERSION-x86_64-linux/vendor/v8
    mkdir -p "$V8_DIR.new/lib"
    mv "$vendor/include" "$V8_DIR.new/include"
    mv "$vendor/x86_64-linux/libv8/obj/libv8_monolith.a" "$V8_DIR.new/lib/"
    rm -rf "$V8_DIR"
    mv "$V8_DIR.new" "$V8_DIR"
  )
  rm -rf "$work"
}

setup_npm() {
  [ -f tools/bundle/bundle.sh ] || return 0
  local stamp=build/npm/.stamp want
  want=$(cat package-lock.json tools/bundle/* 2>/dev/null | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ] && return
  say "bundling the npm libraries"
  bash tools/bundle/bundle.sh build/npm >&2
  echo "$want" > "$stamp"
}

setup_all() {
  setup_packages
  setup_v8
  setup_npm
}
