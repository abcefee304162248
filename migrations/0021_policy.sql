-- 1: the workspace turns this off for the members it manages.
alter table workspaces add column blocks_cloud_transcription integer not null default 0;
alter table workspaces add column blocks_cloud_backup integer not null default 0;
alter table workspace_members add column managed integer not null default 0;
