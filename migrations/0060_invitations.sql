-- One per workspace and address. There is a row whether or not the address has an account: both must look the same.
create table invitations (
  id ctext primary key,
  workspace_id ctext not null references workspaces (id) on delete cascade,
  email ctext not null,
  role text not null check (role in ('admin', 'member')),
  managed integer not null,
  invited_by ctext not null,
  token_hash ctext not null unique,
  expires_at ctext not null,
  created_at ctext not null,
  unique (workspace_id, email)
);
