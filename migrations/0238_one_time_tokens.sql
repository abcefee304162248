-- A one-time token is a sign-in link that a session made for another app of the same person (docs/decisions/0238-one-time-token.md).
-- It ends with that session. Links of the operator have none.
alter table sign_in_links add column session_id ctext references sessions (id) on delete cascade;
create index sign_in_links_by_session on sign_in_links (session_id) where session_id is not null;
