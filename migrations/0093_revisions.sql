-- Earlier texts of a note. kept_at: when the text was replaced; saved_at: when it had been written.
create table note_revisions (
  id ctext primary key,
  note_id ctext not null references notes (id) on delete cascade,
  title text,
  content text not null,
  enhanced_content text,
  saved_at ctext not null,
  kept_at ctext not null
);
create index note_revisions_by_note on note_revisions (note_id, kept_at, id);
create index note_revisions_by_time on note_revisions (kept_at);
