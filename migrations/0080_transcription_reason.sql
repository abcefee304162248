alter table transcriptions add column reason text;
