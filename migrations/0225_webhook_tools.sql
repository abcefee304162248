-- After a rotation the old secret signs too, until the time given; then it is of no use and stays until the next rotation.
alter table webhooks add column old_secret text;
alter table webhooks add column old_secret_until ctext;
-- What was sent and answered, without bodies, signatures and cookies.
alter table webhook_deliveries add column request_head text;
alter table webhook_deliveries add column response_head text;
