-- What was made, changed and deleted, in the order in which it was committed (docs/decisions/0091-changes.md).
-- Written by triggers: so no way to change a row can forget it, not even a cascade.
create table changes (
  seq bigint generated always as identity primary key,
  -- Numbers are given out before the commit, so readers need to know which transactions are still running.
  tx bigint not null default pg_current_xact_id()::text::bigint,
  owner_id ctext not null,
  type text not null,
  id ctext not null,
  action text not null,
  at ctext not null
);
create index changes_by_owner on changes (owner_id, tx, seq);

create function iso_now() returns text language sql volatile as
  $$ select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

create function note_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.deleted_at is null then
      insert into changes (owner_id, type, id, action, at) values (old.owner_id, 'note', old.id, 'deleted', iso_now());
    end if;
  elsif new.deleted_at is not null then
    if tg_op = 'UPDATE' and old.deleted_at is null then
      insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'deleted', new.deleted_at);
    end if;
  elsif tg_op = 'INSERT' or old.deleted_at is not null then
    insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'created', new.updated_at);
  else
    insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'updated', new.updated_at);
  end if;
  return null;
end $$;
create trigger notes_change after insert or update or delete on notes for each row execute function note_change();

create function folders_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'folder', new.id, 'created', new.created_at);
  elsif tg_op = 'UPDATE' then
    insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'folder', new.id, 'updated', new.updated_at);
  else
    insert into changes (owner_id, type, id, action, at) values (old.owner_id, 'folder', old.id, 'deleted', iso_now());
  end if;
  return null;
end $$;
create trigger folders_change after insert or delete or update of name, sort_order, updated_at on folders
  for each row execute function folders_change();

create function dictionary_words_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'dictionary', new.id, 'created', new.created_at);
  elsif tg_op = 'UPDATE' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'dictionary', new.id, 'updated', new.updated_at);
  else
    insert into changes (owner_id, type, id, action, at) values (old.user_id, 'dictionary', old.id, 'deleted', iso_now());
  end if;
  return null;
end $$;
create trigger dictionary_words_change after insert or delete or update of word, updated_at on dictionary_words
  for each row execute function dictionary_words_change();

create function snippets_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'snippet', new.id, 'created', new.created_at);
  elsif tg_op = 'UPDATE' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'snippet', new.id, 'updated', new.updated_at);
  else
    insert into changes (owner_id, type, id, action, at) values (old.user_id, 'snippet', old.id, 'deleted', iso_now());
  end if;
  return null;
end $$;
create trigger snippets_change after insert or delete or update of updated_at on snippets
  for each row execute function snippets_change();

create function transcriptions_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'transcription', new.id, 'created', new.created_at);
  elsif tg_op = 'UPDATE' then
    insert into changes (owner_id, type, id, action, at) values (new.user_id, 'transcription', new.id, 'updated', iso_now());
  else
    insert into changes (owner_id, type, id, action, at) values (old.user_id, 'transcription', old.id, 'deleted', iso_now());
  end if;
  return null;
end $$;
create trigger transcriptions_change after insert or delete or update of note_id, text, segments on transcriptions
  for each row execute function transcriptions_change();
