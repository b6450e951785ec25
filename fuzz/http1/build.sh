#!/usr/bin/env bash
# Builds the fuzzer of the HTTP/1 codec: fuzz/http1/build.sh OUT. Needs Debian's node-llhttp for the oracle.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/http1_fuzz}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for file in api http llhttp; do
  clang-19 -O1 -g -fsanitize=address,undefined -w -I/usr/share/include/llhttp -c "/usr/share/llhttp/$file.c" -o "$objects/$file.o"
done
clang++-19 -std=c++23 -O1 -g -fno-exceptions -fno-rtti -fsanitize=fuzzer,address,undefined -iquote src \
  -I/usr/share/include/llhttp fuzz/http1/http1_fuzz.cc src/codec/http1_head.cc src/codec/http1_body.cc \
  src/codec/http1_tables.cc "$objects"/*.o -o "$out"
