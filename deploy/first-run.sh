#!/bin/sh
# Writes .env on the first run, with a random AUTH_SECRET; never changes one that is there.
set -eu

if [ -e .env ]; then
    exit 0
fi
secret=$(head -c 32 /dev/urandom | base64 | tr -d '\n')
umask 077
# noclobber: of two first runs at once, one writes.
set -C
cat >.env <<END
# Lectern's settings; docs/configuration.md lists all of them. Values are literal text.
BASE_URL=http://localhost:3003
# Signs sessions and encrypts saved keys: keep it, and keep it secret.
AUTH_SECRET=$secret
END
echo 'Wrote .env with a new AUTH_SECRET.'
