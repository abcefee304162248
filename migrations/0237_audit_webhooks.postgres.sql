-- The audit log is told to webhooks by rows of `changes`, like everything else (docs/decisions/0237-audit-webhooks.md): one for the
-- whole server, and one for the workspace. Rows that are only counted up are not told again.
create function audit_event_recorded() returns trigger language plpgsql as $$
begin
  insert into changes (owner_id, type, id, action, at) values ('server', 'audit', new.id, 'recorded', new.created_at);
  if new.workspace_id is not null then
    insert into changes (owner_id, type, id, action, at) values (new.workspace_id, 'audit', new.id, 'recorded', new.created_at);
  end if;
  return null;
end $$;
create trigger audit_events_recorded after insert on audit_events
  for each row execute function audit_event_recorded();

-- For webhooks that hear the audit log of a workspace.
alter table webhooks add column workspace_id ctext references workspaces (id) on delete cascade;
