-- Whether somebody named the recording. One that nobody named gets its first words as its name.
alter table recordings add column is_named integer not null default 1;
