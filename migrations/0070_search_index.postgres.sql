-- One index for both databases, in ordinary tables: docs/decisions/0070-ranking.md.
-- An entry is the analysed text of a note as it is now; a changed note gets a new one. Numbers are never used again.
create table search_entries (
  entry bigint generated always as identity primary key,
  seq bigint not null unique references notes (seq) on delete cascade,
  owner_id ctext not null,
  analyser integer not null,
  text text not null
);

-- Entries that no segment holds yet, and entries that a segment still holds although they are gone.
create table search_fresh (owner_id ctext not null, entry bigint not null, primary key (owner_id, entry));
create table search_dead (owner_id ctext not null, entry bigint not null, primary key (owner_id, entry));

-- A segment never changes once it is complete. entries and lengths are arrays of 64-bit floats and 32-bit integers.
create table search_segments (
  segment bigint generated always as identity primary key,
  owner_id ctext not null,
  complete integer not null,
  created_at ctext not null,
  notes integer not null,
  entries bytea not null,
  lengths bytea not null,
  first_terms text not null,
  vocabulary text not null
);
create index search_segments_by_owner on search_segments (owner_id);
-- Terms in order, with the notes that have them; first_terms of the segment names the first one of each block.
create table search_blocks (
  segment bigint not null,
  block integer not null,
  data bytea not null,
  primary key (segment, block)
);
-- They are compact already.
alter table search_blocks alter column data set storage external;

-- Notes to be analysed in the background: large ones, and all of them when the analyser has changed.
create table search_pending (seq bigint primary key references notes (seq) on delete cascade);
insert into search_pending select seq from notes where deleted_at is null;
drop table note_search;
