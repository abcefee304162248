-- word_key and trigger_key are what src/lib/same-text.ts makes of the text: equal keys, same word.
create table dictionary_words (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  word text not null,
  word_key ctext not null,
  source text not null check (source in ('manual', 'learned')),
  used_at ctext,
  created_at ctext not null,
  updated_at ctext not null,
  unique (user_id, word_key)
);
create index dictionary_words_by_user on dictionary_words (user_id, created_at, id);
-- The words a transcription should know best: those used or added last.
create index dictionary_words_by_use on dictionary_words (user_id, coalesce(used_at, created_at));

create table snippets (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  "trigger" text not null,
  trigger_key ctext not null,
  replacement text not null,
  created_at ctext not null,
  updated_at ctext not null,
  unique (user_id, trigger_key)
);
create index snippets_by_user on snippets (user_id, created_at, id);
