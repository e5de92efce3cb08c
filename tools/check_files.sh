#!/usr/bin/env bash
# House rules that no compiler checks: no long files, tools that can be read,
# licences and spelling where the programs for it are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
longest=600

broken=0
while read -r file; do
    lines=$(wc -l < "$file")
    if [ "$lines" -gt "$longest" ]; then
        echo "error: a file is longer than $longest lines: $file has $lines" >&2
        broken=1
    fi
done < <(find crates tools -name '*.rs' -o -name '*.py' -o -name '*.sh' | sort)

if command -v python3 > /dev/null; then
    for file in tools/*.py; do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1])' "$file"
    done
fi
if command -v cargo-deny > /dev/null; then
    cargo deny check
fi
if command -v typos > /dev/null; then
    typos
fi
exit "$broken"
