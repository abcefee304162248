-- Says whether it can help to transcribe a failed recording again.
alter table recordings add column error_code text;
