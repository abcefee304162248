-- Whose text a note has (docs/decisions/0178-whose-text.md): how often it was changed, the edit that wrote its text, by whom
-- (edited_with: the name of their key) and when. other_edit: the last edit that changed something else.
alter table notes add column revision integer not null default 1;
alter table notes add column edit text;
alter table notes add column edited_by ctext;
alter table notes add column edited_with text;
alter table notes add column edited_at ctext;
alter table notes add column other_edit text;
alter table note_revisions add column edited_by ctext;
alter table note_revisions add column edited_with text;

-- A client_note_id is given to one note of an owner. The server gives a note its own id, which needs no second index.
update notes set client_note_id = id where id in (
  select id from (
    select id, row_number() over (partition by owner_id, client_note_id order by seq) as nth from notes
  ) as numbered where nth > 1
);
create unique index notes_by_client_id on notes (owner_id, client_note_id) where client_note_id <> id;
