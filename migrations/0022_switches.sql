-- A switch is on while its row stands and on_until has not passed; null: until somebody turns it off.
create table switches (
  name ctext primary key,
  on_until ctext,
  updated_at ctext not null
);
