-- Who did what to accounts, keys, members and data, without texts and secrets (docs/decisions/0230-audit.md). No foreign keys:
-- what somebody did stays when their account goes.
create table audit_events (
  id ctext primary key,
  created_at ctext not null,
  act ctext not null,
  actor_id ctext,
  actor_name text,
  via text,
  key_id ctext,
  workspace_id ctext,
  subject_id ctext,
  subject_name text,
  detail text,
  address ctext,
  request_id text,
  -- More than 1 for refused sign-ins, which are counted by address and hour.
  times integer not null default 1
);
create index audit_events_by_time on audit_events (created_at, id);
create index audit_events_by_workspace on audit_events (workspace_id, created_at, id);
