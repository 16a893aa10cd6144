#!/bin/sh
# Installs pdftotext, which `make bench` measures beside our reader of PDF; without it the rest is measured.
set -eu

if command -v pdftotext >/dev/null; then
    exit 0
fi
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
    echo "Installing poppler-utils"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends poppler-utils >/dev/null
else
    echo "pdftotext is not there and is left out of the comparison" >&2
fi
