-- Whether the text of a note is still that of its transcript (docs/decisions/0188-notes-and-transcript.md). Where both are
-- equal now, it is. The only comparison of the two: from here on the flag says it.
alter table notes add column content_is_transcript integer not null default 0;
alter table note_revisions add column content_is_transcript integer not null default 0;

-- A transcript is plain text, or a JSON array of segments.
create function said_in(transcript text) returns text language plpgsql as $$
begin
  if transcript !~ '^\s*\[' then return transcript; end if;
  return coalesce((
    select string_agg(item ->> 'text', ' ' order by place)
    from json_array_elements(transcript::json) with ordinality as items (item, place)
    where json_typeof(item) = 'object'
  ), '');
exception when others then return transcript;
end $$;
-- No text changes, so no client and no webhook is told.
alter table notes disable trigger notes_change;
update notes set content_is_transcript = 1
where transcript is not null
  and btrim(regexp_replace(content, '\s+', ' ', 'g')) = btrim(regexp_replace(said_in(transcript), '\s+', ' ', 'g'));
alter table notes enable trigger notes_change;
drop function said_in;
