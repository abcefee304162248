import crypto from 'node:crypto';
import files from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import sqlite from 'node:sqlite';

/**
 * Loaded before a server, which then ends itself as `kill -9` would, at one moment of a request with an Idempotency-Key:
 * `before` what it creates and its answer are committed (the answer is sealed inside the transaction), or `after`, when the
 * answer is about to be sent. Or at a digest of its own count, such as the one of a row that is moved. Or before the last of
 * several steps that come one after the other: SQL that SQLite has not seen before, a commit, or `remove` a file of audio.
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
  const { createHash, hash } = crypto;
  let made = 0;
  const count = () => {
    made += 1;
    if (made >= digestsToLive) die();
  };
  crypto.createHash = ((...args: Parameters<typeof createHash>) => {
    count();
    return createHash(...args);
  }) as typeof createHash;
  crypto.hash = ((...args: Parameters<typeof hash>) => {
    count();
    return hash(...args);
  }) as typeof hash;
  syncBuiltinESMExports();
}
const steps = (process.env.TEST_DIE_AT_STEPS ?? '').split(' > ').filter((step) => step !== '');
if (steps.length > 0) {
  const reached = (what: string) => {
    if (!what.includes(steps[0] ?? '')) return;
    if (steps.length === 1) die();
    steps.shift();
  };
  const { prepare, exec } = sqlite.DatabaseSync.prototype;
  sqlite.DatabaseSync.prototype.prepare = function (...args: Parameters<typeof prepare>) {
    reached(args[0]);
    return Reflect.apply(prepare, this, args);
  };
  sqlite.DatabaseSync.prototype.exec = function (sql: string) {
    reached(sql);
    return Reflect.apply(exec, this, [sql]);
  };
  const { rm } = files;
  files.rm = async (...args: Parameters<typeof rm>) => {
    if (String(args[0]).endsWith('.sound')) reached('remove');
    return rm(...args);
  };
  syncBuiltinESMExports();
}
