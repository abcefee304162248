# syntax=docker/dockerfile:1
# Steno with SQLite in the volume /data. compose.yaml adds PostgreSQL. See docs/install.md.
# Built and started by .github/workflows, for x64 and arm64. The tests, which have no Docker, make the same folder with the same
# script and run it as it is run here: as an ordinary user, with a file system that is read-only except /data.

FROM node:24-bookworm-slim AS build
WORKDIR /src
# Packages first: this layer is made anew only when one changes. No scripts, so no second Node.
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
COPY web/package.json web/
COPY scripts/no-download scripts/no-download
RUN npm ci --omit=dev --ignore-scripts
COPY . .
# What runs, with both models, the English one prepared: docs/decisions/0217-releases.md.
RUN npm run build && node scripts/package.js --folder /opt/steno

FROM debian:bookworm-slim
# Decodes MP3, AAC, FLAC and Vorbis on arm64. Nothing is played.
RUN apt-get update && apt-get install --yes --no-install-recommends libasound2 && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home steno && install --directory --owner=steno --group=steno /data /backups
# The one Node, without npm, headers and yarn.
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/steno /opt/steno
RUN ln -s /opt/steno/bin/steno.js /usr/local/bin/steno
WORKDIR /opt/steno
USER steno
ENV STENO_HOST=0.0.0.0 STENO_PORT=8787 STENO_DATA_DIR=/data STENO_BACKUP_URL=/backups
# Shows that this image can transcribe.
RUN steno transcribe assets/ask-not.ogg
VOLUME /data /backups
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.STENO_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["steno", "serve"]
