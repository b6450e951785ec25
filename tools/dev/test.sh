# ./dev test [PATTERN]: builds, then runs everything. Ends with "N passed, N failed".

cmd_test() {
  if [ "${1:-}" = asan ]; then
    build asan
    exec python3 tools/dev/asan.py "${@:2}"
  fi
  build release
  build tests
  build bench
  exec python3 tools/dev/run_tests.py "$@"
}
