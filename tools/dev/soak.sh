# ./dev soak [SECONDS]: a server at 70 % of what it can do, for 20 minutes unless said otherwise.

cmd_soak() {
  build release
  exec python3 tools/dev/soak.py "$@"
}
