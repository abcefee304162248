-- The words come ready cut from src/domain/search-text.ts; the ascii tokenizer takes them as they are.
create virtual table note_search using fts5 (
  owner, title, body, content = '', contentless_delete = 1, tokenize = 'ascii'
);
-- The owner only filters; a word in the title weighs four in the body.
insert into note_search (note_search, rank) values ('rank', 'bm25(0.0, 4.0, 1.0)');
