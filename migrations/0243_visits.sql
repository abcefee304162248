-- When a person last signed in, used a session (to the day) or signed out: sessions end, and know it no longer. No column of users,
-- because every change of those makes servers read their keys again.
create table visits (
  user_id ctext primary key references users (id) on delete cascade,
  last_at text not null
);
insert into visits (user_id, last_at) select user_id, max(updated_at) from sessions group by user_id;
