-- Where `changes` ended at a time, noted once a day. Changes before an old mark are deleted, and the mark then says that older
-- cursors no longer work (docs/decisions/0111-forgotten-changes.md). Not by `at`: an imported note is as old as it says.
create table change_marks (
  at ctext primary key,
  tx bigint not null,
  seq bigint not null,
  forgotten integer not null default 0
);
