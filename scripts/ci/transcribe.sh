#!/bin/sh
# A first transcription at a running server: scripts/ci/transcribe.sh ADDRESS KEY
set -eu
clip="$(dirname "$0")/../../assets/ask-not.ogg"
answer=$(curl --silent --show-error --fail-with-body --max-time 300 "$1/api/v1/transcribe" \
  --header "Authorization: Bearer $2" --form "file=@$clip")
case "$answer" in
  *'your country'*) echo "Transcribed: $answer" ;;
  *) echo "Not the words of the clip: $answer" >&2; exit 1 ;;
esac
