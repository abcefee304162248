-- Accounts of people at a sign-in provider (docs/decisions/0228-sign-in-provider.md).
create table provided_identities (
  issuer ctext not null,
  subject ctext not null,
  user_id ctext not null references users (id) on delete cascade,
  -- 1 if an invitation let this person in. It goes on doing so, whatever their groups are.
  by_invitation integer not null,
  -- JSON: what their groups gave them, so that groups take nothing else away.
  grants text not null,
  created_at ctext not null,
  used_at ctext not null,
  primary key (issuer, subject)
);
create index provided_identities_by_user on provided_identities (user_id);

-- The issuer of a session that began at a provider, so that signing out can end that one too.
alter table sessions add column provider text;
