-- By triggers, so that no way to delete a recording can forget its sound, not even a cascade.
create function doom_sound() returns trigger language plpgsql as $$
begin
  insert into doomed_sounds (id) values (old.id) on conflict do nothing;
  return null;
end $$;
create trigger recordings_gone after delete on recordings for each row
  when (old.has_audio = 1) execute function doom_sound();
create trigger recordings_silenced after update of has_audio on recordings for each row
  when (old.has_audio = 1 and new.has_audio = 0) execute function doom_sound();
