#!/usr/bin/env bash
# Checks what building and testing need. What Debian packages is installed where
# we are root; elsewhere a sentence says what is missing.
set -euo pipefail

# name of the program, name of the package, whether nothing works without it
needs=(
    "cc build-essential required"
    "stockfish stockfish optional"
    "nats-server nats-server optional"
    "openssl openssl optional"
)

export PATH="$PATH:/usr/games:/usr/sbin"

if ! command -v cargo > /dev/null; then
    echo "error: Rust is missing: \`cargo\`" >&2
    echo "hint: install Rust 1.95 or later, see https://rustup.rs" >&2
    exit 1
fi

for need in "${needs[@]}"; do
    read -r program package kind <<< "$need"
    command -v "$program" > /dev/null && continue
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        echo "installing $package" >&2
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package"; } >&2 || true
    fi
    command -v "$program" > /dev/null && continue
    echo "$program is missing ($kind); install the package \`$package\`" >&2
    if [ "$kind" = required ]; then
        exit 1
    fi
done
