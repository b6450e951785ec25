# ./dev lint: the form of C++ (clang-format) and of JavaScript (ESLint), the JSDoc types of the modules' JavaScript (tsc) and sizes.
# ./dev lint tidy: clang-tidy over the C++ that differs from the last commit.

lint_tools() {
  # The pinned npm tools of tools/lint, from its lockfile.
  local stamp=tools/lint/node_modules/.lock
  cmp -s tools/lint/package-lock.json "$stamp" && return
  say "installing ESLint and tsc"
  (cd tools/lint && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
  cp tools/lint/package-lock.json "$stamp"
}

# C++ that clang-format would change. Files of tools/lint/unformatted.txt may: that list only shrinks.
unformatted() {
  git ls-files '*.cc' '*.h' | xargs clang-format-19 --dry-run 2>&1 | grep warning | cut -d: -f1 | LC_ALL=C sort -u
}

cmd_lint_tidy() {
  local files
  files=$(git diff --name-only HEAD -- 'src/*.cc')
  [ -z "$files" ] && return
  build dev
  # shellcheck disable=SC2086
  clang-tidy-19 -p build/release --quiet $files
}

cmd_lint() {
  [ "${1:-}" = tidy ] && { cmd_lint_tidy; return; }
  local bad=0
  lint_tools
  say "clang-format"
  unformatted | LC_ALL=C comm -13 tools/lint/unformatted.txt - | grep . && bad=1
  say "files past 1,500 lines"
  git ls-files '*.cc' '*.h' '*.js' '*.mjs' '*.cjs' | xargs wc -l | awk '$2 != "total" && $1 > 1500 { print; bad = 1 } END { exit bad }' || bad=1
  say "ESLint"
  tools/lint/node_modules/.bin/eslint --config tools/lint/eslint.config.mjs src test fuzz bench tools examples || bad=1
  say "types"
  node tools/lint/types.mjs || bad=1
  [ $bad -eq 0 ] && say "nothing to find fault with"
  return $bad
}
