-- What happens to recordings and language jobs on their way, for webhooks (docs/decisions/0226-webhook-tools.md).
create function recording_moved() returns trigger language plpgsql as $$
begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'recording', new.id, new.state, new.updated_at);
  return null;
end $$;
create trigger recordings_queued after insert on recordings for each row
  when (new.state = 'queued') execute function recording_moved();
create trigger recordings_moved after update of state on recordings for each row
  when (new.state in ('queued', 'transcribing') and new.state <> old.state) execute function recording_moved();

create function language_job_ended() returns trigger language plpgsql as $$
begin
  insert into changes (owner_id, type, id, action, at) values (
    coalesce((select owner_id from notes where notes.id = new.note_id), new.user_id),
    'language_job', new.id, new.state, new.updated_at);
  return null;
end $$;
create trigger language_jobs_ended after update of state on language_jobs for each row
  when (new.state in ('done', 'failed') and new.state <> old.state) execute function language_job_ended();
