#!/bin/sh
# The package as a person tries it: an empty folder, no network for npm, no scripts. Starts, makes a key, transcribes, stops.
#   scripts/ci/try-package.sh steno-0.2.0-linux-x64.tgz
# The machine's node must be 24 or newer.
set -eu
tarball=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
port=${STENO_TRY_PORT:-18787}
export npm_config_cache="$folder/npm" STENO_DATA_DIR="$folder/data" STENO_PORT="$port" STENO_LOG_LEVEL=warn
flags="--yes --offline --ignore-scripts"
run() { npx $flags --package "$tarball" -- steno "$@"; }
cd "$folder"
# A session of its own: npx does not pass signals on to what it starts.
setsid npx $flags --package "$tarball" -- steno serve > server.log 2>&1 &
server=$!
trap 'kill -- -$server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
tries=0
until curl --silent --fail "http://127.0.0.1:$port/healthz"; do
  tries=$((tries + 1))
  if [ $tries -gt 240 ] || ! kill -0 $server; then cat server.log >&2; exit 1; fi
  sleep 0.5
done
echo
key=$(run keys create --name try --scopes all --json | sed -n 's/.*"key": *"\([^"]*\)".*/\1/p')
"$here/transcribe.sh" "http://127.0.0.1:$port" "$key"
