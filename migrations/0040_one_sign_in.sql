-- Codes of both doors are in email_codes; what only the sign-in library of before needed goes (docs/decisions/0060).
drop table verifications;
alter table users drop column email_verified;
alter table users drop column image;
alter table users drop column updated_at;
