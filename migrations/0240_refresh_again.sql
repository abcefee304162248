-- The pair of tokens that the last refresh gave, sealed with the refresh token that was used for it. A client whose answer was
-- lost sends that token again, and for a short while gets the same pair (docs/decisions/0231-oauth.md).
alter table oauth_grants add column successor text;
