#!/usr/bin/env bash
# Compares the results of two built programs: `tools/same_runs.sh OLD NEW`, see `--help`.
set -euo pipefail
exec python3 "$(dirname "$0")/same_runs.py" "$@"
