-- Questions that people asked their notes, with the answers (docs/decisions/0206-ask.md).
create table conversations (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  -- Of the notes that were asked. Null: the person's own.
  space_id ctext references spaces (id) on delete cascade,
  title text not null,
  created_at ctext not null,
  updated_at ctext not null
);
create index conversations_by_user on conversations (user_id, created_at, id);
create index conversations_by_space on conversations (space_id) where space_id is not null;

create table conversation_turns (
  conversation_id ctext not null references conversations (id) on delete cascade,
  number integer not null,
  question text not null,
  answer text not null,
  found integer not null,
  citations text not null,
  created_at ctext not null,
  primary key (conversation_id, number)
);
