create table users (
  id ctext primary key,
  email ctext unique,
  name text not null,
  plan text not null,
  created_at ctext not null
);

create table workspaces (
  id ctext primary key,
  name text not null,
  plan text not null,
  created_at ctext not null
);

create table workspace_members (
  workspace_id ctext not null references workspaces (id) on delete cascade,
  user_id ctext not null references users (id) on delete cascade,
  role text not null check (role in ('admin', 'member')),
  created_at ctext not null,
  primary key (workspace_id, user_id)
);
create index workspace_members_by_user on workspace_members (user_id);

create table spaces (
  id ctext primary key,
  workspace_id ctext not null references workspaces (id) on delete cascade,
  name text not null,
  slug ctext not null,
  description text,
  emoji text,
  archived_at ctext,
  created_at ctext not null,
  updated_at ctext not null,
  unique (workspace_id, slug)
);

-- user_id of a workspace key is who made it; the key outlives that person's account.
create table api_keys (
  id ctext primary key,
  kind text not null check (kind in ('personal', 'workspace')),
  user_id ctext not null,
  workspace_id ctext references workspaces (id) on delete cascade,
  name text not null,
  key_prefix text not null,
  key_hash ctext not null unique,
  scopes text not null,
  expires_at ctext,
  revoked_at ctext,
  last_used_at ctext,
  created_at ctext not null,
  check ((kind = 'workspace') = (workspace_id is not null))
);
create index api_keys_by_user on api_keys (user_id, created_at);
create index api_keys_by_workspace on api_keys (workspace_id, created_at);

-- owner_id is the user for personal rows and the space for the others: see GLOSSARY.md, "owner".
create table folders (
  id ctext primary key,
  owner_id ctext not null,
  space_id ctext references spaces (id) on delete cascade,
  name text not null,
  name_key ctext not null,
  sort_order integer not null,
  is_default integer not null default 0,
  created_at ctext not null,
  updated_at ctext not null,
  unique (owner_id, name_key)
);

-- seq ties a note to its row in the search index.
create table notes (
  seq integer primary key,
  id ctext not null unique,
  owner_id ctext not null,
  user_id ctext not null,
  space_id ctext references spaces (id) on delete cascade,
  client_note_id ctext not null,
  title text,
  content text not null,
  enhanced_content text,
  note_type text not null,
  folder_id ctext references folders (id) on delete set null,
  participants text,
  calendar_event_id text,
  transcript text,
  created_at ctext not null,
  updated_at ctext not null,
  deleted_at ctext
);
create index notes_by_owner on notes (owner_id, created_at, id) where deleted_at is null;
create index notes_by_folder on notes (folder_id, created_at, id) where deleted_at is null;
create index notes_by_space on notes (space_id) where space_id is not null;

create table rate_usage (
  key_id ctext primary key,
  minute_start bigint not null,
  minute_used integer not null,
  day_start bigint not null,
  day_used integer not null
);
