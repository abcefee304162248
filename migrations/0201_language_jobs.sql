-- Own actions on notes, and the texts that are being written: the rows in work are the queue (docs/decisions/0201-actions.md).
create table actions (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  workspace_id ctext references workspaces (id) on delete cascade,
  name text not null,
  description text,
  prompt text not null,
  sections text,
  output text not null,
  language text,
  created_at ctext not null,
  updated_at ctext not null
);
create index actions_by_user on actions (user_id);
create index actions_by_workspace on actions (workspace_id) where workspace_id is not null;

create table language_jobs (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  note_id ctext not null references notes (id) on delete cascade,
  -- The workspace whose key asked for it; otherwise it reaches what the user reaches.
  workspace_id ctext references workspaces (id) on delete cascade,
  action_id text not null,
  action_name text not null,
  -- The action as it was when somebody asked, as JSON.
  task text not null,
  -- The title that nobody typed, for one that is written by itself; another title stays.
  given_title text,
  automatic integer not null,
  state text not null,
  progress double precision not null,
  error text,
  error_code text,
  result_note_id ctext,
  -- As for recordings: the server that works on it, the user's last turn, when it may go on, faults in a row.
  worker ctext not null,
  claimed_at ctext,
  not_before ctext not null,
  faults integer not null,
  created_at ctext not null,
  updated_at ctext not null
);
create index language_jobs_in_work on language_jobs (state, not_before) where state in ('queued', 'writing');
create index language_jobs_by_user on language_jobs (user_id, claimed_at);
create index language_jobs_by_note on language_jobs (note_id, created_at);
create index language_jobs_by_age on language_jobs (created_at);

-- What was written about the pieces of a long text, so that a killed server goes on with the next piece.
create table language_parts (
  job_id ctext not null references language_jobs (id) on delete cascade,
  position integer not null,
  -- Of what the model was asked: a note may change between two servers.
  asked_hash text not null,
  text text not null,
  primary key (job_id, position)
);

alter table language_settings add column folders text not null default '[]';
alter table notes add column enhancement_template_id text;
alter table notes add column enhancement_prompt text;
alter table notes add column enhanced_at_content_hash text;
