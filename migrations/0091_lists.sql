-- Every filter and order of the notes list is a range of one of these; a list that does not name the type or the pinned
-- reads up to six ranges at once (src/store/note-lists.ts).
drop index notes_by_folder;
create index notes_by_type on notes (owner_id, note_type, pinned, created_at, id) where deleted_at is null;
create index notes_by_change on notes (owner_id, note_type, pinned, updated_at, id) where deleted_at is null;
create index notes_in_folder on notes (folder_id, note_type, pinned, created_at, id)
  where deleted_at is null and folder_id is not null;
create index notes_in_folder_by_change on notes (folder_id, note_type, pinned, updated_at, id)
  where deleted_at is null and folder_id is not null;
