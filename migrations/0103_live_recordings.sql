-- A recording that is heard while it is uploaded: one server receives it (holder), and one hears it (worker).
alter table recordings add column is_live integer not null default 0;
alter table recordings add column worker ctext not null default '';
