#!/bin/sh
# Installs the Debian packages that the tests need and that are missing: a browser, node with npm, and
# PostgreSQL, whose programs Debian keeps out of the PATH.
set -eu

missing=
command -v chromium >/dev/null || missing="$missing chromium"
command -v node >/dev/null || missing="$missing nodejs"
command -v npm >/dev/null || missing="$missing npm"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"
command -v festival >/dev/null || missing="$missing festival"
command -v flite >/dev/null || missing="$missing flite"
for voice in english/kal_diphone=festvox-kallpc16k english/ked_diphone=festvox-kdlpc16k \
    us/cmu_us_slt_arctic_hts=festvox-us-slt-hts italian/lp_diphone=festvox-italp16k \
    italian/pc_diphone=festvox-itapc16k czech/czech_dita=festvox-czech-dita \
    finnish/suo_fi_lj_diphone=festvox-suopuhe-lj finnish/hy_fi_mv_diphone=festvox-suopuhe-mv \
    russian/msu_ru_nsh_clunits=festvox-ru catalan/upc_ca_ona_hts=festvox-ca-ona-hts; do
    test -d "/usr/share/festival/voices/${voice%%=*}" || missing="$missing ${voice##*=}"
done
if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "The tests need these programs, please install them:$missing" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "The tests need some Debian packages. Install them as root, then start again:" >&2
    echo "    apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # one word per package
apt-get install -y -qq --no-install-recommends $missing >/dev/null
