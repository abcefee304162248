-- Who has an account already needs no first steps. A sample is nobody's use of the server.
alter table users add column first_steps text not null default 'new';
update users set first_steps = 'over';
alter table recordings add column is_sample integer not null default 0;
