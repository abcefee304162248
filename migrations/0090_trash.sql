-- Deleting a folder looks for all its notes, also for those in the trash.
create index notes_of_folder on notes (folder_id) where folder_id is not null;
create index notes_in_trash on notes (owner_id, deleted_at, id) where deleted_at is not null;
create index notes_by_deletion on notes (deleted_at) where deleted_at is not null;

-- Owners whose stored index still holds words of a note that is gone for good.
create table search_scrubs (owner_id ctext primary key);
