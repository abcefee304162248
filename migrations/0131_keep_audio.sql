-- Whether the sound of a person's recordings stays once its words are stored, when the upload does not say.
alter table users add column keep_audio integer not null default 1;
