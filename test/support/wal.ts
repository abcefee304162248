import { readFileSync } from 'node:fs';
import { databaseFile } from '../../src/platform/database/sqlite.ts';

const headerBytes = 32;
const frameHeaderBytes = 24;

/**
 * How many transactions the write-ahead log holds: a frame that ends one says how large the database then is, all
 * others say 0 (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). Frames of an older log have other salts.
 */
export function countCommits(dataDir: string): number {
  const wal = readFileSync(`${databaseFile(dataDir)}-wal`);
  if (wal.length < headerBytes) return 0;
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8);
  const salt = wal.readBigUInt64BE(16);
  let commits = 0;
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes)
    if (wal.readBigUInt64BE(at + 8) === salt && wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}
