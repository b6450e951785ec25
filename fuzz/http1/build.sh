#!/usr/bin/env bash
# Builds the fuzzer of the HTTP/1 codec: fuzz/http1/build.sh OUT. Needs Debian's node-llhttp for the oracle.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/http1_fuzz}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
# The oracle twice: as Node builds it, and in its strict mode, whose functions are called strict_llhttp_*.
for file in api http llhttp; do
  clang-19 -O1 -g -w -I/usr/share/include/llhttp -c "/usr/share/llhttp/$file.c" -o "$objects/$file.o"
  clang-19 -O1 -g -w -DLLHTTP_STRICT_MODE=1 -I/usr/share/include/llhttp -c "/usr/share/llhttp/$file.c" -o "$objects/$file-strict.part"
done
ld -r -o "$objects/strict.whole" "$objects"/*-strict.part
objcopy --keep-global-symbol=llhttp_init --keep-global-symbol=llhttp_execute "$objects/strict.whole"
objcopy --redefine-sym llhttp_init=strict_llhttp_init --redefine-sym llhttp_execute=strict_llhttp_execute \
  "$objects/strict.whole" "$objects/strict.o"
clang++-19 -std=c++23 -O1 -g -fno-exceptions -fno-rtti -fsanitize=fuzzer,address,undefined -iquote src \
  -I/usr/share/include/llhttp fuzz/http1/http1_fuzz.cc src/codec/http1_head.cc src/codec/http1_body.cc \
  src/codec/http1_tables.cc "$objects"/*.o -o "$out"
