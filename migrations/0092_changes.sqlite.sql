-- What was made, changed and deleted, in the order in which it was committed (docs/decisions/0091-changes.md).
-- Written by triggers: so no way to change a row can forget it, not even a cascade.
create table changes (
  seq integer primary key autoincrement,
  -- There is one writer, so seq alone is the order. PostgreSQL needs the transaction as well.
  tx integer not null default 0,
  owner_id text not null,
  type text not null,
  id text not null,
  action text not null,
  at text not null
);
create index changes_by_owner on changes (owner_id, tx, seq);

create trigger notes_made after insert on notes when new.deleted_at is null begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'created', new.created_at);
end;

create trigger notes_changed after update on notes when old.deleted_at is null and new.deleted_at is null begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'updated', new.updated_at);
end;

create trigger notes_trashed after update on notes when old.deleted_at is null and new.deleted_at is not null begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'deleted', new.deleted_at);
end;

create trigger notes_restored after update on notes when old.deleted_at is not null and new.deleted_at is null begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'created', new.updated_at);
end;

create trigger notes_gone after delete on notes when old.deleted_at is null begin
  insert into changes (owner_id, type, id, action, at) values (old.owner_id, 'note', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger folders_made after insert on folders begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'folder', new.id, 'created', new.created_at);
end;

create trigger folders_changed after update of name, sort_order, updated_at on folders begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'folder', new.id, 'updated', new.updated_at);
end;

create trigger folders_gone after delete on folders begin
  insert into changes (owner_id, type, id, action, at) values (old.owner_id, 'folder', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger dictionary_words_made after insert on dictionary_words begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'dictionary', new.id, 'created', new.created_at);
end;

create trigger dictionary_words_changed after update of word, updated_at on dictionary_words begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'dictionary', new.id, 'updated', new.updated_at);
end;

create trigger dictionary_words_gone after delete on dictionary_words begin
  insert into changes (owner_id, type, id, action, at) values (old.user_id, 'dictionary', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger snippets_made after insert on snippets begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'snippet', new.id, 'created', new.created_at);
end;

create trigger snippets_changed after update of updated_at on snippets begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'snippet', new.id, 'updated', new.updated_at);
end;

create trigger snippets_gone after delete on snippets begin
  insert into changes (owner_id, type, id, action, at) values (old.user_id, 'snippet', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger transcriptions_made after insert on transcriptions begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'transcription', new.id, 'created', new.created_at);
end;

create trigger transcriptions_changed after update of note_id, text, segments on transcriptions begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'transcription', new.id, 'updated', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger transcriptions_gone after delete on transcriptions begin
  insert into changes (owner_id, type, id, action, at) values (old.user_id, 'transcription', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;
