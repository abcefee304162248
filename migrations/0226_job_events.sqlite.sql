-- What happens to recordings and language jobs on their way, for webhooks (docs/decisions/0226-webhook-tools.md).
create trigger recordings_queued after insert on recordings when new.state = 'queued' begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'recording', new.id, 'queued', new.updated_at);
end;

create trigger recordings_moved after update of state on recordings
when new.state in ('queued', 'transcribing') and new.state <> old.state begin
  insert into changes (owner_id, type, id, action, at) values (new.user_id, 'recording', new.id, new.state, new.updated_at);
end;

create trigger language_jobs_ended after update of state on language_jobs
when new.state in ('done', 'failed') and new.state <> old.state begin
  insert into changes (owner_id, type, id, action, at) values (
    coalesce((select owner_id from notes where notes.id = new.note_id), new.user_id),
    'language_job', new.id, new.state, new.updated_at);
end;
