#!/usr/bin/env bash
# fuzz/api/run.sh SECONDS PROGRAM: rounds from a seed that differs from run to run; FUZZ_SEED sets it.
set -euo pipefail
program=$(realpath "${2:-./gyre}")
exec "$program" "$(dirname "$0")/api_fuzz.cjs" --program "$program" --seconds "${1:-60}" --seed "${FUZZ_SEED:-$(date +%s)}"
