#!/bin/sh
# Bundles the npm libraries of libraries.json, each into one CommonJS file OUTDIR/NAME.js that is later wrapped like
# our own modules: built-ins (`node:fs`, `fs`, `#web/abort`) stay `require` calls.
# Usage: tools/bundle/bundle.sh OUTDIR. Brings the pinned packages with `npm ci` when they are absent or out of date.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$root"

stamp=node_modules/.gyre-lock
if ! cmp -s package-lock.json "$stamp"; then
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json "$stamp"
fi
exec python3 tools/bundle/bundle.py "$out"
