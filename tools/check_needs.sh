#!/usr/bin/env bash
# Proves what install_needs.sh asks for, with an apt-get that only writes down what it is
# asked: running needs nothing of the tests, and no package that brings a service is
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
mkdir "$scratch/bin" "$scratch/root"
program() {
    printf '#!/bin/bash\n%s\n' "$2" > "$scratch/bin/$1"
    chmod 755 "$scratch/bin/$1"
}
for name in bash mktemp rm chmod mkdir install env cat; do
    ln -s "$(command -v "$name")" "$scratch/bin/$name"
done
program cargo ''
program cc ''
program apt-get "echo \"apt-get \$*\" >> '$log'; test \"\$1\" != download || : > nats-server_1_all.deb"
program dpkg-deb "mkdir -p usr/sbin && printf '#!/bin/bash\n' > usr/sbin/nats-server"

# As `needs ID WHAT`: what apt-get was asked, where this user asks for this; what is said
# goes to a file.
needs() {
    : > "$log"
    rm -f "$scratch/root/nats-server"
    program id "echo $1"
    env -i PATH="$scratch/bin" NEEDS_PATH="$scratch/root" NEEDS_BIN="$scratch/root" \
        bash tools/install_needs.sh "$2" 2> "$scratch/said" || echo "failed: $(cat "$scratch/said")"
    cat "$log"
}

broken=0
check() {
    if [ "$2" != "$3" ]; then
        printf 'error: %s\nexpected: %s\nfound: %s\n' "$1" "$3" "$2" >&2
        broken=1
    fi
}

check "running asks for nothing of the tests" "$(needs 0 run)" ""
check "testing takes the program of nats-server and no package with a service" \
    "$(needs 0 test)" "apt-get update -qq
apt-get install -y -qq stockfish
apt-get update -qq
apt-get download -qq nats-server
apt-get update -qq
apt-get install -y -qq openssl"
check "the program is where it can be found" "$(test -x "$scratch/root/nats-server" && echo yes)" yes
check "without root nothing is installed" "$(needs 1000 test)" ""
check "without root it is said how to get the program" \
    "$(grep -c 'nats-server is missing (optional); put the program on the PATH' "$scratch/said")" 1
check "and running needs only what is there" "$(needs 1000 run; cat "$scratch/said")" ""
rm "$scratch/bin/cc"
check "without a C compiler nothing goes on" "$(needs 1000 run)" \
    "failed: cc is missing (required); install the package \`build-essential\`"
exit "$broken"
