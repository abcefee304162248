-- By triggers, so that no way to delete a recording can forget its sound, not even a cascade.
create trigger recordings_gone after delete on recordings when old.has_audio = 1 begin
  insert into doomed_sounds (id) values (old.id) on conflict do nothing;
end;

create trigger recordings_silenced after update of has_audio on recordings when old.has_audio = 1 and new.has_audio = 0 begin
  insert into doomed_sounds (id) values (old.id) on conflict do nothing;
end;
