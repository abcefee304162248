-- Names that a person or a space puts on notes (docs/decisions/0241-tags.md).
create table tags (
  id ctext primary key,
  owner_id ctext not null,
  space_id ctext references spaces (id) on delete cascade,
  name text not null,
  name_key ctext not null,
  created_at ctext not null,
  updated_at ctext not null,
  unique (owner_id, name_key)
);
create index tags_by_space on tags (space_id) where space_id is not null;

-- JSON: the tags as the API shows them, so that reading a note reads nothing else.
alter table notes add column tags text not null default '[]';

-- The index of that column, in both directions. Written by triggers: so no way to change a note can forget it.
create table note_tags (
  tag_id ctext not null references tags (id) on delete cascade,
  note_seq integer not null references notes (seq) on delete cascade,
  in_trash integer not null,
  primary key (note_seq, tag_id)
);
create index note_tags_by_tag on note_tags (tag_id, in_trash, note_seq);

create trigger notes_tagged after insert on notes when new.tags <> '[]' begin
  insert into note_tags (tag_id, note_seq, in_trash)
    select value ->> 'id', new.seq, new.deleted_at is not null from json_each(new.tags);
end;

create trigger notes_retagged after update of tags on notes when new.tags <> old.tags begin
  delete from note_tags where note_seq = new.seq;
  insert into note_tags (tag_id, note_seq, in_trash)
    select value ->> 'id', new.seq, new.deleted_at is not null from json_each(new.tags);
end;

create trigger tagged_notes_trashed after update of deleted_at on notes
  when new.tags <> '[]' and (new.deleted_at is null) <> (old.deleted_at is null) begin
  update note_tags set in_trash = new.deleted_at is not null where note_seq = new.seq;
end;

create trigger tags_made after insert on tags begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'tag', new.id, 'created', new.created_at);
end;

create trigger tags_changed after update of name, updated_at on tags begin
  insert into changes (owner_id, type, id, action, at) values (new.owner_id, 'tag', new.id, 'updated', new.updated_at);
end;

create trigger tags_gone after delete on tags begin
  insert into changes (owner_id, type, id, action, at) values (old.owner_id, 'tag', old.id, 'deleted', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;
