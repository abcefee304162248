-- How loud a recording is from beginning to end: up to 1,000 bytes in Base64. Null until it is made, and without audio.
alter table recordings add column waveform text;
