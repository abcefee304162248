alter table api_keys add column last_used_route text;
alter table api_keys add column allowed_addresses text;
-- After a rotation the secret from before works until old_expires_at.
alter table api_keys add column old_key_hash ctext;
alter table api_keys add column old_expires_at ctext;
create unique index api_keys_by_old_hash on api_keys (old_key_hash) where old_key_hash is not null;
