-- 1 if the link went to the address by e-mail. 0 if an admin was shown it: then it does not prove the address.
alter table invitations add column mailed integer not null default 0;
