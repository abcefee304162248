-- The words come ready cut from src/domain/search-text.ts; the ascii tokenizer takes them as they are.
create virtual table note_search using fts5 (
  owner, title, body, content = '', contentless_delete = 1, tokenize = 'ascii'
);
