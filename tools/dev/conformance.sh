# ./dev conformance DIR [PATTERN]: Node's test suite as a black box.

cmd_conformance() {
  [ $# -ge 1 ] || { echo "usage: ./dev conformance DIR [PATTERN]   (DIR holds test/parallel and so on)" >&2; exit 9; }
  build release
  exec python3 tools/dev/conformance.py "$@"
}
