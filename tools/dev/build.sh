# Configures and builds with ninja; one build at a time.

configure() {
  local folder=$1
  shift
  [ -f "$folder/build.ninja" ] && return
  say "configuring $folder"
  CC=clang-19 CXX=clang++-19 cmake -S . -B "$folder" -G Ninja \
    -DGYRE_V8_DIR="$V8_DIR" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@" >&2
}

# build dev|release|tests|asan|tsan
build() {
  mkdir -p build
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=$root
  exec 9>build/.lock
  flock 9
  case "$1" in
    dev|release|tests) configure build/release -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -g1 -DNDEBUG" ;;
    asan) configure build/asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DGYRE_SANITIZE=address,undefined ;;
    tsan) configure build/tsan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" -DGYRE_SANITIZE=thread ;;
  esac
  case "$1" in
    dev) ninja -C build/release -k 0 gyre-dev >&2 && ln -sf build/release/gyre-dev gyre-dev ;;
    release) ninja -C build/release gyre >&2 && ln -sf build/release/gyre-dev gyre-dev && ln -sf build/release/gyre gyre ;;
    tests) ninja -C build/release -k 0 gyre_tests >&2 ;;
    asan) ninja -C build/asan gyre gyre_tests >&2 ;;
    tsan) ninja -C build/tsan gyre_tests >&2 ;;
  esac
  ln -sf build/release/compile_commands.json compile_commands.json
  exec 9>&-
}
