alter table notes add column pinned integer not null default 0;
