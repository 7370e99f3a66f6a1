#!/bin/sh
# The system's ffprobe for tests: keeps the answer about the same bytes, file name and arguments, in the folder of this script.
# Its 215 libraries take 0.1 s of processor time at each start, and tests read a sample several times, and outputs that the
# tool has verified. What fails, and what does not read a file, always runs.
set -u

options=
for last; do options="$options $last"; done
path=${last#file:}
if [ "$last" = "$path" ] || [ ! -f "$path" ]; then exec ffprobe "$@"; fi

# Programs of mediaproc receive no other variables of the tests.
answers="${0%/*}"
key=$({ printf '%s\n' "${options%"$last"}" "${path##*/}" && cat -- "$path"; } | sha256sum)
answer="$answers/${key%% *}.json"
if [ -f "$answer" ]; then exec cat "$answer"; fi

part=$(mktemp "$answers/part-XXXXXX")
trap 'rm -f "$part"' EXIT
ffprobe "$@" >"$part"
status=$?
cat "$part"
[ "$status" != 0 ] || mv "$part" "$answer"
exit "$status"
