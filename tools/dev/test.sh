# ./dev test [PATTERN]: builds, then runs everything. Ends with "N passed, N failed".

cmd_test() {
  build release
  build tests
  build bench
  exec python3 tools/dev/run_tests.py "$@"
}
