-- Uploads in several requests (docs/decisions/0101-uploads.md). `bytes` is what is stored for good; the next request begins there.
alter table recordings add column is_resumable integer not null default 0;
-- Null while the client does not know how long the recording will be.
alter table recordings add column upload_length bigint;
