-- Assistants that people connect by OAuth, and what each may do (docs/decisions/0231-oauth.md).
create table oauth_clients (
  id ctext primary key,
  -- As it calls itself: nobody checks it.
  name text not null,
  -- JSON
  redirect_uris text not null,
  -- The network that registered it, to bound how many.
  network ctext not null,
  created_at ctext not null,
  -- When somebody last allowed it something.
  used_at ctext
);
create index oauth_clients_by_network on oauth_clients (network, created_at);
create index oauth_clients_by_time on oauth_clients (created_at, id);

-- One row for each assistant of a person, with hashes of the one code, access token and refresh token that count.
create table oauth_grants (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  client_id ctext not null references oauth_clients (id) on delete cascade,
  -- JSON
  scopes text not null,
  resource text not null,
  redirect_uri text not null,
  code_hash ctext not null unique,
  code_challenge text not null,
  code_expires_at ctext not null,
  access_hash ctext unique,
  access_expires_at ctext,
  -- All refresh tokens of a grant begin alike, so that one which was used before names the grant to revoke.
  family_hash ctext unique,
  refresh_hash ctext,
  created_at ctext not null,
  -- When it last got an access token; null until the code is used.
  used_at ctext,
  -- Of the code, then of the refresh token.
  expires_at ctext not null
);
create index oauth_grants_by_user on oauth_grants (user_id, created_at, id);
create index oauth_grants_by_client on oauth_grants (client_id);
create index oauth_grants_by_expiry on oauth_grants (expires_at);
