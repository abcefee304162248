-- One user for the API and for signing in: better-auth works on these columns too.
-- An address is the operator's word or was proven by a code, so it counts as verified.
alter table users add column email_verified integer not null default 1;
alter table users add column image text;
alter table users add column updated_at ctext;
alter table api_keys add column description text;

create table sessions (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  token_hash ctext not null unique,
  ip_address text,
  user_agent text,
  expires_at ctext not null,
  created_at ctext not null,
  updated_at ctext not null
);
create index sessions_by_user on sessions (user_id, created_at);
create index sessions_by_expiry on sessions (expires_at);

-- Codes that sign a person in; better-auth keeps them, as keyed hashes.
create table verifications (
  id ctext primary key,
  identifier ctext not null,
  value text not null,
  expires_at ctext not null,
  created_at ctext not null,
  updated_at ctext not null
);
create index verifications_by_identifier on verifications (identifier, created_at);
create index verifications_by_expiry on verifications (expires_at);

create table sign_in_links (
  token_hash ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  expires_at ctext not null,
  created_at ctext not null
);
create index sign_in_links_by_user on sign_in_links (user_id);

-- Codes that give an agent its token. Unknown addresses get a row too: both must look the same from outside.
create table email_codes (
  email ctext primary key,
  code_hash ctext not null,
  wrong_tries integer not null,
  expires_at ctext not null,
  created_at ctext not null
);

-- When each address and each client asked for a code, for an hour.
create table code_requests (
  id ctext primary key,
  subject ctext not null,
  requested_at ctext not null
);
create index code_requests_by_subject on code_requests (subject, requested_at);
create index code_requests_by_time on code_requests (requested_at);

create table agent_tokens (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  token_hash ctext not null unique,
  expires_at ctext not null,
  created_at ctext not null
);
create index agent_tokens_by_user on agent_tokens (user_id);

-- What belongs to this installation as a whole and all its replicas share.
create table installation (
  name ctext primary key,
  value text not null
);
