# ./dev lint: the form of C++ (clang-format, clang-tidy's checks of .clang-tidy on changed files), of JavaScript and of sizes.

cmd_lint() {
  local bad=0
  say "clang-format"
  git ls-files '*.cc' '*.h' | xargs clang-format-19 --dry-run 2>&1 | grep -E 'warning' | cut -d: -f1 | sort | uniq -c | sort -rn | head -20
  say "files past 1,500 lines"
  git ls-files '*.cc' '*.h' '*.js' '*.mjs' | xargs wc -l | awk '$2 != "total" && $1 > 1500 { print; bad = 1 } END { exit bad }' || bad=1
  say "syntax of the JavaScript"
  local file
  while read -r file; do node --check "$file" >/dev/null 2>&1 || { echo "$file"; bad=1; }; done < <(git ls-files '*.mjs' '*.cjs')
  return $bad
}
