-- Passwords for apps that only know an e-mail address and a password (docs/decisions/0233-accounts.md).
create table app_passwords (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  name text not null,
  -- SHA-256 of 140 random bits, as of keys.
  password_hash ctext not null unique,
  created_at ctext not null,
  used_at ctext
);
create index app_passwords_by_user on app_passwords (user_id, created_at, id);

-- Who revokes an app password ends the sessions that began with it.
alter table sessions add column app_password_id ctext references app_passwords (id) on delete cascade;
create index sessions_by_app_password on sessions (app_password_id) where app_password_id is not null;
