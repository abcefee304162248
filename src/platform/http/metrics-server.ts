import { createServer, type Server } from 'node:http';

const contentType = 'text/plain; version=0.0.4; charset=utf-8';
const mostConnections = 32;

/** `GET /metrics` and nothing else. Those who ask while it is read get the same answer. */
export function createMetricsServer(read: () => Promise<string>): Server {
  let reading: Promise<string> | undefined;
  const readTogether = () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (path !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at GET /metrics.\n');
      return;
    }
    readTogether().then(
      (text) =>
        response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(text),
      () => response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '5' }).end('Try again.\n'),
    );
  });
  server.maxConnections = mostConnections;
  return server;
}
