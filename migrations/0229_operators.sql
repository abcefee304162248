-- The right to see and govern the server, but no note of anyone; and accounts that may not be used for now.
alter table users add column is_operator integer not null default 0;
alter table users add column suspended_at text;
