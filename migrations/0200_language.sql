-- Tokens of language models by person and day (docs/decisions/0200-language.md).
create table language_usage (
  user_id ctext not null references users (id) on delete cascade,
  day ctext not null,
  prompt_tokens bigint not null,
  answer_tokens bigint not null,
  primary key (user_id, day)
);

-- What a person wants of language models. No row: the defaults.
create table language_settings (
  user_id ctext primary key references users (id) on delete cascade,
  is_allowed integer not null default 1,
  titles integer not null default 1,
  actions text not null default '[]'
);

alter table workspaces add column blocks_language_models integer not null default 0;
