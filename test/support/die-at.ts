import crypto from 'node:crypto';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a server, which then ends itself as `kill -9` would, at one moment of a request with an Idempotency-Key:
 * `before` what it creates and its answer are committed (the answer is sealed inside the transaction), or `after`, when the
 * answer is about to be sent. Or at a digest of its own count, such as the one of a row that is moved.
 */
const die = () => process.kill(process.pid, 'SIGKILL');

if (process.env.TEST_DIE === 'before') {
  const { createCipheriv } = crypto;
  crypto.createCipheriv = ((...args: Parameters<typeof createCipheriv>) => {
    die();
    return createCipheriv(...args);
  }) as typeof createCipheriv;
  syncBuiltinESMExports();
}
if (process.env.TEST_DIE === 'after') {
  const { writeHead } = http.ServerResponse.prototype;
  http.ServerResponse.prototype.writeHead = function (this: http.ServerResponse, ...args: unknown[]) {
    if (this.req.headers['idempotency-key'] !== undefined) die();
    return Reflect.apply(writeHead, this, args);
  };
}
const digestsToLive = Number(process.env.TEST_DIE_AT_DIGEST);
if (digestsToLive > 0) {
  const { createHash } = crypto;
  let made = 0;
  crypto.createHash = ((...args: Parameters<typeof createHash>) => {
    made += 1;
    if (made >= digestsToLive) die();
    return createHash(...args);
  }) as typeof createHash;
  syncBuiltinESMExports();
}
