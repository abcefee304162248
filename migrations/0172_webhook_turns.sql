-- Whose turn it is (docs/decisions/0174-webhook-turns.md). account_id: the person who made or last changed the webhook; for
-- those from before, the workspace of the space stands for its people. key_id: the key of that call; null for a session.
-- turn_at: when something was last sent.
alter table webhooks add column account_id ctext not null default '';
alter table webhooks add column key_id ctext;
alter table webhooks add column turn_at ctext not null default '';
update webhooks set account_id = coalesce((select workspace_id from spaces where spaces.id = webhooks.space_id), owner_id);
