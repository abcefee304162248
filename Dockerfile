# Steno with SQLite in the volume /data. compose.yaml adds PostgreSQL. See docs/operations.md.
# Not built by the tests, which have no Docker. They check what this file names, and run the server as it is run here: as an
# ordinary user, with a file system that is read-only except /data (test/e2e/deploy.test.ts).

FROM node:24-bookworm-slim AS build
WORKDIR /opt/steno
COPY . .
# Builds the server and the console, and prepares the English model.
RUN npm ci && npm prune --omit=dev

FROM node:24-bookworm-slim
# Decodes MP3, AAC, FLAC and Vorbis on arm64. Nothing is played.
RUN apt-get update && apt-get install --yes --no-install-recommends libasound2 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/steno
COPY --from=build /opt/steno .
RUN mkdir -p /data && chown node:node /data
USER node
# Shows that this image can transcribe.
RUN node_modules/node/bin/node bin/steno.js transcribe assets/ask-not.ogg
ENV STENO_HOST=0.0.0.0 STENO_PORT=8787 STENO_DATA_DIR=/data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node_modules/node/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.STENO_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/node/bin/node", "bin/steno.js", "serve"]
