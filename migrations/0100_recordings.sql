-- Recordings of any length (docs/decisions/0100-recordings.md). The rows in work are the queue.
create table recordings (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  name text not null,
  media_type text not null,
  bytes bigint not null,
  duration_ms bigint,
  state text not null,
  progress double precision not null,
  error text,
  language text,
  prompt text,
  transcription_id ctext references transcriptions (id) on delete set null,
  note_id ctext references notes (id) on delete set null,
  keep_audio integer not null,
  has_audio integer not null,
  created_at ctext not null,
  updated_at ctext not null,
  speakers integer,
  wants_note integer not null,
  -- The server that receives or transcribes it. When that is gone, another goes on.
  holder ctext not null,
  -- When its user had a turn, when the work began, and when it may go on after a fault.
  claimed_at ctext,
  started_at ctext,
  not_before ctext not null,
  -- Faults in a row without a stretch between them.
  faults integer not null
);
create index recordings_by_user on recordings (user_id, created_at, id);
create index recordings_in_work on recordings (state, not_before) where state in ('uploading', 'queued', 'transcribing');
create index recordings_by_note on recordings (note_id) where note_id is not null;
create index recordings_by_transcription on recordings (transcription_id) where transcription_id is not null;

create table recording_stretches (
  recording_id ctext not null references recordings (id) on delete cascade,
  position integer not null,
  start_ms bigint not null,
  end_ms bigint not null,
  text text not null,
  -- What the engine needs to make one transcript of all; null once that is done.
  detail text,
  language text,
  primary key (recording_id, position)
);

-- Sounds that no recording needs any more and that are still in the store.
create table doomed_sounds (id ctext primary key);

-- The minutes of recordings count apart from those of POST /transcribe.
alter table usage_ledger add column recording_ms bigint not null default 0;
create index usage_ledger_of_recordings on usage_ledger (user_id, counted_at, recording_ms) where recording_ms > 0;
