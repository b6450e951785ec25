#!/usr/bin/env bash
# Builds the fuzzer of the URL parser: fuzz/url/build.sh OUT.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/url_fuzz}
clang++-19 -std=c++23 -O1 -g -fno-exceptions -fno-rtti -fsanitize=fuzzer,address,undefined -iquote src \
  fuzz/url/url_fuzz.cc src/codec/url.cc src/codec/url_host.cc src/codec/url_percent.cc -o "$out"
