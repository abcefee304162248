import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../src/platform/database/migrate.ts';
import { databaseFile, openSqlite } from '../src/platform/database/sqlite.ts';

// The loop to beat: the same row and the same search entry, one commit each, no HTTP. Prints inserts a second.
const [dataDir = '', content = '', seconds = '5'] = process.argv.slice(2);
const database = openSqlite(dataDir);
await migrate(database, Date.now);
await database.close();
const db = new DatabaseSync(databaseFile(dataDir));
db.exec('pragma journal_mode = wal; pragma synchronous = full');
const insertNote = db.prepare(
  `insert into notes (id, owner_id, user_id, client_note_id, title, content, note_type, created_at, updated_at)
   values (?, 'owner', 'owner', ?, 'A note', ?, 'personal', ?, ?)`,
);
const insertWords = db.prepare(
  "insert into search_entries (seq, owner_id, analyser, text) values (?, 'owner', 1, ?)",
);
const insertFresh = db.prepare("insert into search_fresh (owner_id, entry) values ('owner', ?)");
let count = 0;
const start = performance.now();
while (performance.now() - start < Number(seconds) * 1000) {
  const now = new Date().toISOString();
  db.exec('begin immediate');
  const { lastInsertRowid } = insertNote.run(randomUUID(), randomUUID(), content, now, now);
  insertFresh.run(insertWords.run(lastInsertRowid, ` a note \n ${content} `).lastInsertRowid);
  db.exec('commit');
  count += 1;
}
console.log((count / (performance.now() - start)) * 1000);
db.close();
