# Configures and builds with ninja, by the presets of CMakePresets.json; one build at a time.

configure() {
  local preset=$1
  [ -f "build/$preset/build.ninja" ] && return
  say "configuring build/$preset"
  cmake --preset "$preset" -DGYRE_V8_DIR="$V8_DIR" >&2
}

# build dev|release|tests|bench|asan|tsan
build() {
  mkdir -p build
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime CCACHE_BASEDIR=$root
  exec 9>build/.lock
  flock 9
  case "$1" in
    dev|release|tests|bench) configure release ;;
    asan|tsan) configure "$1" ;;
    *) echo "usage: ./dev build [dev|release|tests|bench|asan|tsan]" >&2; exit 9 ;;
  esac
  case "$1" in
    dev) ninja -C build/release -k 0 gyre-dev >&2 && ln -sf build/release/gyre-dev gyre-dev ;;
    release)
      ninja -C build/release gyre-dev gyre >&2
      ln -sf build/release/gyre-dev gyre-dev
      ln -sf build/release/gyre gyre ;;
    tests) ninja -C build/release -k 0 gyre_tests >&2 ;;
    bench) ninja -C build/release steady >&2 ;;
    asan) ASAN_OPTIONS=detect_container_overflow=0:detect_leaks=0 ninja -C build/asan gyre-dev gyre_tests >&2 ;;
    tsan) ninja -C build/tsan gyre_tests >&2 ;;
  esac
  ln -sf build/release/compile_commands.json compile_commands.json
  exec 9>&-
}
