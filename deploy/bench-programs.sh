#!/bin/sh
# Installs what `make bench` measures beside ours: pdftotext and nginx; without them the rest is measured.
set -eu

PATH="$PATH:/usr/sbin"
packages=""
command -v pdftotext >/dev/null || packages="$packages poppler-utils"
command -v nginx >/dev/null || packages="$packages nginx-light"
if [ -z "$packages" ]; then
    exit 0
fi
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    echo "Installing$packages"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086  # they are words; no service is started for a program that is only measured
    RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $packages >/dev/null
else
    echo "not there, and left out of the comparison:$packages" >&2
fi
