-- Room that an import of audio has been promised and not used yet (docs/decisions/0181-storage-reservations.md). holder: the
-- server that imports.
create table storage_reservations (
  id ctext primary key,
  user_id ctext not null references users (id) on delete cascade,
  bytes bigint not null,
  holder ctext not null
);
create index storage_reservations_user on storage_reservations (user_id);
