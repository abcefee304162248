-- The note that a recording goes into, instead of making its own. If that is gone by then, it makes one.
alter table recordings add column into_note_id ctext;
