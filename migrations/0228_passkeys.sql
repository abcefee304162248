-- Keys of phones, computers and security keys with which people sign in (docs/decisions/0227-identity.md).
create table passkeys (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  name text not null,
  -- Base64url, as browsers send it.
  credential_id ctext not null unique,
  public_key text not null,
  -- How often the key was used, as far as it counts: up to 2^32.
  counter bigint not null,
  -- Comma-separated: internal, hybrid, usb, …
  transports text not null,
  backed_up integer not null,
  created_at ctext not null,
  used_at ctext
);
create index passkeys_by_user on passkeys (user_id, created_at, id);

-- Challenges that somebody answered, until they expire: each works once. Those that nobody answers are stored nowhere.
create table used_challenges (
  challenge ctext primary key,
  expires_at ctext not null
);
