-- What a webhook sends are the rows of `changes` behind its place (tx, seq), so a change costs no more with one
-- (docs/decisions/0110-webhooks.md). owner_id is a user or a space, as on notes.
create table webhooks (
  id ctext primary key,
  owner_id ctext not null,
  space_id ctext references spaces (id) on delete cascade,
  url text not null,
  events text not null,
  -- Signing needs the secret itself, so it is not stored as a hash.
  secret text not null,
  status text not null,
  pause_reason text,
  failing_since ctext,
  attempts integer not null default 0,
  next_attempt_at ctext not null,
  tx bigint not null,
  seq bigint not null,
  -- The server that delivers, for as long as it runs.
  holder text,
  created_at ctext not null,
  updated_at ctext not null
);
create index webhooks_by_owner on webhooks (owner_id);
create index webhooks_due on webhooks (next_attempt_at) where status = 'active';

create table webhook_deliveries (
  id ctext primary key,
  webhook_id ctext not null references webhooks (id) on delete cascade,
  event text not null,
  resource_id ctext not null,
  at ctext not null,
  attempts integer not null,
  delivered_at ctext,
  last_attempt_at ctext not null,
  response_status integer,
  error text
);
create index webhook_deliveries_by_time on webhook_deliveries (webhook_id, last_attempt_at, id);
create index webhook_deliveries_by_age on webhook_deliveries (last_attempt_at);
