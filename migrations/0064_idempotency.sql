-- A request with an Idempotency-Key: while it runs, then with its answer. Only who sent it can open the answer.
create table idempotency_keys (
  id ctext primary key,
  caller ctext not null,
  route ctext not null,
  key_hash ctext not null,
  holder ctext not null,
  fingerprint ctext,
  answer ctext,
  expires_at ctext not null
);
create unique index idempotency_keys_by_key on idempotency_keys (caller, route, key_hash);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
