-- Ids and ISO timestamps compare by bytes; a locale's collation would make every index lookup slower.
-- SQLite takes any type name that contains TEXT as text, so the files after this one serve both engines.
create domain ctext as text collate "C";
