#!/bin/sh
# The image as docs/install.md runs it: read-only, without rights, as an ordinary user. Starts, makes a key, transcribes, backs up.
#   scripts/ci/try-image.sh steno
set -eu
here=$(dirname "$(readlink -f "$0")")
name=steno-try-$$
docker run --detach --name "$name" --publish 127.0.0.1:18787:8787 --read-only --tmpfs /tmp --cap-drop ALL \
  --security-opt no-new-privileges --volume "$name:/data" --volume "$name-backups:/backups" "$1"
trap 'docker logs "$name" | tail -20; docker rm --force "$name"; docker volume rm "$name" "$name-backups"' EXIT
tries=0
until [ "$(docker inspect --format '{{.State.Health.Status}}' "$name")" = healthy ]; do
  tries=$((tries + 1))
  if [ $tries -gt 120 ]; then exit 1; fi
  sleep 1
done
curl --silent --fail http://127.0.0.1:18787/healthz
echo
key=$(docker exec "$name" steno keys create --name try --scopes all --json | sed -n 's/.*"key": *"\([^"]*\)".*/\1/p')
"$here/transcribe.sh" http://127.0.0.1:18787 "$key"
docker exec "$name" steno backup --keep 2
docker exec "$name" steno restore --check
docker exec "$name" steno --version
size=$(docker image inspect --format '{{.Size}}' "$1")
echo "The image takes $((size / 1000000)) MB."
test "$size" -le 900000000
