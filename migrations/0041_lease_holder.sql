-- The server that runs the transcription: when it is gone, so is its lease.
alter table transcription_leases add column holder ctext not null default '';
