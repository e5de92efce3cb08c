#!/usr/bin/env bash
# Compares the nodes of `mendel bench` with the recorded signature.
set -euo pipefail
cd "$(dirname "$0")/.."
mendel=${1:-target/debug/mendel}

if [ ! -f signature.txt ]; then
    echo "error: no signature is recorded: signature.txt" >&2
    echo "hint: \`make record-signature\`" >&2
    exit 1
fi
recorded=$(cat signature.txt)
counted=$("$mendel" bench | tail -n 1 | cut -d ' ' -f 1)
if [ "$recorded" != "$counted" ]; then
    echo "error: the play has changed: $counted nodes, recorded are $recorded" >&2
    echo "hint: if that was meant, \`make record-signature\` and say so in the commit" >&2
    exit 1
fi
echo "signature $counted"
