#!/bin/sh
# Install qsage-validate and its extras into ./env, from the wheels of this artifact alone.
#
#     sh install.sh              the extras whose wheels fit this Python and this system
#     PYTHON=python3.12 sh install.sh
set -eu
cd "$(dirname "$0")"
python=${PYTHON:-python3}
if [ -e env/installed ]; then
    exit 0
fi
"$python" -m venv env
install() {
    env/bin/python -m pip install --quiet --disable-pip-version-check --no-index \
        --find-links wheels "$@"
}
install qsage-validate hypothesis pexpect pyte
for extra in solve gdl impartial plot frame; do
    if install "qsage-validate[$extra]" 2> "env/$extra.log"; then
        echo "installed: $extra"
    else
        echo "left out: $extra (its wheels are for another Python or system: env/$extra.log)"
    fi
done
touch env/installed
