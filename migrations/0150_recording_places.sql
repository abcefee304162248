-- Where the note of a recording goes. Both may be gone when it is made: then it is among the notes of whoever recorded it.
alter table recordings add column note_space_id ctext;
alter table recordings add column note_folder_id ctext;
