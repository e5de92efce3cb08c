#!/usr/bin/env bash
# Checks what is needed: `run` (building and running the program) or `test`, which needs
# more. What Debian packages is installed where we are root; elsewhere a sentence says
# what is missing and how to get it. Nothing here starts or enables a service.
set -euo pipefail

# name of the program, name of the package, whether nothing works without it
run_needs=(
    "cc build-essential required"
)
test_needs=(
    "stockfish stockfish optional"
    "nats-server nats-server optional"
    "openssl openssl optional"
)

case "${1-}" in
    run) needs=("${run_needs[@]}") ;;
    test) needs=("${run_needs[@]}" "${test_needs[@]}") ;;
    *)
        echo "usage: tools/install_needs.sh run|test" >&2
        exit 2
        ;;
esac

# Where Debian puts games and servers, and where programs without a package go; other
# folders only when this script is tested.
export PATH="$PATH:${NEEDS_PATH-/usr/games:/usr/sbin}"
bin="${NEEDS_BIN-/usr/local/bin}"

# The package of nats-server starts and enables a service: only its program is taken.
take_nats_server() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    chmod 755 "$folder"
    cd "$folder" && apt-get download -qq nats-server && dpkg-deb -x nats-server_*.deb . \
        && install -m 755 usr/sbin/nats-server "$bin/nats-server"
)

install_package() {
    apt-get update -qq || return
    if [ "$1" = nats-server ]; then
        take_nats_server
    else
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1"
    fi
}

how_to_get() {
    if [ "$1" = nats-server ]; then
        # shellcheck disable=SC2016 # it is shown as it is
        echo 'put the program on the PATH, without the service of its package: `apt-get download nats-server && dpkg-deb -x nats-server_*.deb nats`, it is nats/usr/sbin/nats-server'
    else
        echo "install the package \`$1\`"
    fi
}

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
        install_package "$package" >&2 || true
    fi
    command -v "$program" > /dev/null && continue
    echo "$program is missing ($kind); $(how_to_get "$package")" >&2
    if [ "$kind" = required ]; then
        exit 1
    fi
done
