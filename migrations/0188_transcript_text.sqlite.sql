-- Whether the text of a note is still that of its transcript (docs/decisions/0188-notes-and-transcript.md). Where both are
-- equal now, it is. The only comparison of the two: from here on the flag says it.
alter table notes add column content_is_transcript integer not null default 0;
alter table note_revisions add column content_is_transcript integer not null default 0;

-- No text changes, so no client and no webhook is told.
drop trigger notes_changed;
update notes set content_is_transcript = 1
where transcript is not null
  and trim(replace(replace(replace(replace(content, '
', ' '), '  ', ' '), '  ', ' '), '  ', ' '))
    = trim(replace(replace(replace(replace(
      case when case when json_valid(transcript) then json_type(transcript) end = 'array' then coalesce((
        select group_concat(trim(said), ' ') from (
          select case when type = 'object' then json_extract(value, '$.text') end as said from json_each(notes.transcript)
        ) where trim(said) <> ''
      ), '') else transcript end, '
', ' '), '  ', ' '), '  ', ' '), '  ', ' '));
create trigger notes_changed after update on notes when old.deleted_at is null and new.deleted_at is null begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'note', new.id, 'updated', new.updated_at);
end;
