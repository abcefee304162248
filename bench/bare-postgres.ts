import { createServer } from 'node:http';
import pg from 'pg';

// The loops to beat on PostgreSQL, through the same driver. `read` answers every request with one row, read by its id,
// and asks nobody who they are. `insert` commits one note with its search entry at a time on each of its connections,
// without HTTP, and prints inserts a second.
const [kind, url, ...rest] = process.argv.slice(2);
const connections = 32;
const pool = new pg.Pool({ connectionString: url, max: kind === 'read' ? 10 : connections });

if (kind === 'read') {
  const server = createServer(async (request, response) => {
    const { rows } = await pool.query({
      name: 'one',
      text: 'select * from notes where id = $1',
      values: [request.url?.slice(1)],
    });
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify({ data: rows[0] }));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) console.log(`http://127.0.0.1:${address.port}`);
  });
} else {
  const [content = '', seconds = '5'] = rest;
  const text = `with note as (
      insert into notes (id, owner_id, user_id, client_note_id, title, content, note_type, created_at, updated_at)
      values (gen_random_uuid()::text, 'owner', 'owner', gen_random_uuid()::text, 'A note', $1, 'personal', $2, $2)
      returning seq),
    entry as (insert into search_entries (seq, owner_id, analyser, text) select seq, 'owner', 1, $1 from note returning entry)
    insert into search_fresh (owner_id, entry) select 'owner', entry from entry`;
  let count = 0;
  const start = performance.now();
  const loop = async () => {
    while (performance.now() - start < Number(seconds) * 1000) {
      await pool.query({ name: 'insert', text, values: [content, new Date().toISOString()] });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
  console.log((count / (performance.now() - start)) * 1000);
  await pool.end();
}
