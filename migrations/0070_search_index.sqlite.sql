-- One index for both databases, in ordinary tables: docs/decisions/0070-ranking.md.
-- An entry is the analysed text of a note as it is now; a changed note gets a new one. Numbers are never used again.
create table search_entries (
  entry integer primary key autoincrement,
  seq integer not null unique references notes (seq) on delete cascade,
  owner_id text not null,
  analyser integer not null,
  text text not null
);

-- Entries that no segment holds yet, and entries that a segment still holds although they are gone.
create table search_fresh (owner_id text not null, entry integer not null, primary key (owner_id, entry)) without rowid;
create table search_dead (owner_id text not null, entry integer not null, primary key (owner_id, entry)) without rowid;

-- A segment never changes once it is complete. entries and lengths are arrays of 64-bit floats and 32-bit integers.
create table search_segments (
  segment integer primary key autoincrement,
  owner_id text not null,
  complete integer not null,
  created_at text not null,
  notes integer not null,
  entries blob not null,
  lengths blob not null,
  first_terms text not null,
  vocabulary text not null
);
create index search_segments_by_owner on search_segments (owner_id);
-- Terms in order, with the notes that have them; first_terms of the segment names the first one of each block.
create table search_blocks (
  segment integer not null,
  block integer not null,
  data blob not null,
  primary key (segment, block)
) without rowid;

-- Notes to be analysed in the background: large ones, and all of them when the analyser has changed.
create table search_pending (seq integer primary key references notes (seq) on delete cascade);
insert into search_pending select seq from notes where deleted_at is null;
drop table note_search;
