-- Notes that are made together are logged together: of 64 in one statement, a note took 72 µs of the database's processor
-- instead of 83 (docs/decisions/0091-changes.md).
create function notes_made() returns trigger language plpgsql as $$
begin
  insert into changes (owner_id, type, id, action, at)
  select owner_id, 'note', id, 'created', updated_at from made where deleted_at is null order by seq;
  return null;
end $$;
drop trigger notes_change on notes;
create trigger notes_made after insert on notes referencing new table as made
  for each statement execute function notes_made();
create trigger notes_change after update or delete on notes for each row execute function note_change();
