# ./dev fuzz [NAME] [SECONDS]: the fuzzers under fuzz/, each for SECONDS (60); what they find new joins their corpus.

cmd_fuzz() {
  local only=${1:-} seconds=${2:-60} folder name
  for folder in fuzz/*/; do
    name=$(basename "$folder")
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    say "fuzzing $name for $seconds s"
    if [ -f "$folder/run.sh" ]; then
      build asan
      bash "$folder/run.sh" "$seconds" build/asan/gyre-dev
      continue
    fi
    mkdir -p build/fuzz/"$name"
    bash "$folder/build.sh" build/fuzz/"$name"/fuzzer
    local dictionary=()
    [ -f "$folder/$name.dict" ] && dictionary=("-dict=$folder/$name.dict")
    build/fuzz/"$name"/fuzzer "${dictionary[@]}" -max_total_time="$seconds" -print_final_stats=1 \
      -artifact_prefix=build/fuzz/"$name"/ "$folder/corpus"
  done
}
