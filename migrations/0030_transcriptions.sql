create table transcriptions (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  note_id ctext references notes (id) on delete set null,
  text text not null,
  word_count integer not null,
  source text not null,
  provider text,
  model text,
  language ctext,
  audio_duration_ms bigint,
  processing_ms bigint,
  segments text,
  created_at ctext not null
);
create index transcriptions_by_user on transcriptions (user_id, created_at, id);
create index transcriptions_by_note on transcriptions (note_id) where note_id is not null;

-- One row per running transcription. The request that runs renews expires_at; after a crash the row dies by itself.
create table transcription_leases (
  key_id ctext primary key,
  id ctext not null unique,
  user_id ctext not null references users (id) on delete cascade,
  reserved_ms bigint not null,
  reserved_at ctext not null,
  expires_at ctext not null
);
create index transcription_leases_by_user on transcription_leases (user_id);

-- What was counted stays counted: a row has no tie to its record, which its owner may delete.
create table usage_ledger (
  transcription_id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  counted_at ctext not null,
  words integer not null,
  audio_ms bigint not null
);
-- Holds all that a sum reads, so that a month is summed from the index alone.
create index usage_ledger_by_user on usage_ledger (user_id, counted_at, words, audio_ms);
