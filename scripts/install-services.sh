#!/usr/bin/env bash
# Installs the real servers and the tools that the suite runs against: Dovecot, Postfix, PostgreSQL, Prometheus,
# Chromium, a voice, libfaketime. Needs root on Debian; starts nothing. What cannot be had is said in one line, and fails only where
# BUTLER_REQUIRE_SERVICES=1 asks for the whole suite.
set -euo pipefail
export PATH="$PATH:/usr/sbin:/sbin"

has() {
    case $1 in
        dovecot-imapd) [ -x /usr/lib/dovecot/imap ] ;;
        libfaketime) compgen -G "/usr/lib/*/faketime/libfaketimeMT.so.1" ;;
        postgresql) compgen -G "/usr/lib/postgresql/*/bin/initdb" || command -v initdb ;;
        *) command -v "$1" ;;
    esac >/dev/null
}

missing_packages() {
    for package in dovecot-imapd postfix postgresql prometheus chromium espeak-ng libfaketime; do
        has "$package" || printf '%s ' "$package"
    done
}

finish() {
    local missing
    missing=$(missing_packages)
    if [ -z "$missing" ]; then
        exit 0
    fi
    echo "install-services: ${missing% } could not be had: $1; the tests that need them are left out" >&2
    [ "${BUTLER_REQUIRE_SERVICES:-}" != 1 ]
    exit
}

[ -n "$(missing_packages)" ] || exit 0
[ "$(id -u)" = 0 ] || finish "not root"
command -v apt-get >/dev/null || finish "no apt-get, this is not Debian"

# Debian starts what it installs unless this says no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
echo "postfix postfix/main_mailer_type select No configuration" | debconf-set-selections
log=$(mktemp)
apt-get update -q >"$log" 2>&1 || true
for package in $(missing_packages); do
    apt-get install -y -q --no-install-recommends "$package" >>"$log" 2>&1 || true
done
[ -z "$(missing_packages)" ] || tail -n 20 "$log" >&2
rm -f "$log"
finish "apt-get could not install them"
