-- A database of schema 13, as the version before wrote it on SQLite: accounts of every kind of hash and in
-- every state, sessions, tokens, an import half-way. Never edited: what migrates it must take it as it is.
CREATE TABLE schema_version (version integer primary key, applied_at integer not null) strict;
CREATE TABLE users (
    id integer primary key autoincrement,
    name text not null,
    email text not null,
    name_key text not null,
    email_key text not null
  , import_id integer) strict;
CREATE TABLE row_counts (
    name text primary key,
    total integer not null
  ) strict, without rowid;
CREATE TABLE accounts (
    user_id integer primary key references users (id) on delete cascade,
    username text not null unique,
    password_hash text not null,
    roles text not null,
    locked integer not null default 0 check (locked in (0, 1)),
    active integer not null default 1 check (active in (0, 1)),
    must_change integer not null default 0 check (must_change in (0, 1)),
    created_at integer not null
  , failed_logins integer not null default 0, locked_until integer, second_factor integer not null default 0 check (second_factor in (0, 1)), import_id integer, import_line integer) strict;
CREATE TABLE token_versions (
    user_id integer primary key references users (id) on delete cascade,
    access_version integer not null,
    refresh_version integer not null
  ) strict;
CREATE TABLE sessions (
    id text primary key,
    user_id integer not null references accounts (user_id) on delete cascade,
    csrf_token text not null,
    created_at integer not null,
    last_seen_at integer not null,
    address text not null,
    user_agent text not null
  ) strict, without rowid;
CREATE TABLE throttle_places (
    id integer primary key autoincrement,
    username text not null,
    address text not null,
    taken_at integer not null,
    pending integer not null check (pending in (0, 1))
  , expires_at integer not null default 0) strict;
CREATE TABLE keys (
    id text primary key,
    purpose text not null check (purpose in ('signing', 'data')),
    algorithm text not null,
    sealed text not null,
    created_at integer not null,
    retired_at integer
  ) strict, without rowid;
CREATE TABLE used_challenges (
    nonce text primary key,
    expires_at integer not null
  ) strict, without rowid;
CREATE TABLE revocations (
    id integer primary key autoincrement,
    token text,
    user_id integer,
    access_version integer,
    expires_at integer not null
  ) strict;
CREATE TABLE refresh_uses (
    rid text primary key,
    family text not null,
    successor text not null unique,
    issued_at integer not null,
    successor_expires_at integer not null,
    used_at integer not null
  ) strict, without rowid;
CREATE TABLE refresh_families_ended (
    family text primary key,
    expires_at integer not null
  ) strict, without rowid;
CREATE TABLE second_factors (
    user_id integer primary key references accounts (user_id) on delete cascade,
    sealed text,
    pending text,
    last_step integer not null
  , used_steps integer not null default 4503599627370495) strict;
CREATE TABLE recovery_codes (
    user_id integer not null references second_factors (user_id) on delete cascade,
    code text not null,
    primary key (user_id, code)
  ) strict, without rowid;
CREATE TABLE idempotency_keys (
    id text primary key,
    fingerprint text not null,
    answer text not null,
    expires_at integer not null
  ) strict, without rowid;
CREATE TABLE posts (
    id integer primary key autoincrement,
    title text not null,
    body text not null,
    author_id integer references users (id) on delete set null,
    locked integer not null default 0 check (locked in (0, 1)),
    created_at integer not null,
    updated_at integer not null
  ) strict;
CREATE TABLE imports (
    id integer primary key autoincrement,
    state text not null check (state in ('open', 'done', 'failed')),
    lost integer not null default 0,
    seen_at integer not null
  ) strict;
CREATE TABLE import_names (
    import_id integer not null references imports (id),
    username text not null,
    line integer not null,
    user_id integer,
    primary key (import_id, username)
  ) strict, without rowid;
CREATE TABLE identities (
    id integer primary key autoincrement,
    user_id integer not null references accounts (user_id) on delete cascade,
    issuer text not null,
    subject text not null,
    created_at integer not null,
    unique (issuer, subject)
  ) strict;
CREATE TABLE flows (
    id text primary key,
    browser text not null,
    purpose text not null check (purpose in ('sign_in', 'link', 'second_factor')),
    provider text not null,
    user_id integer references accounts (user_id) on delete cascade,
    sealed text not null,
    return_to text not null,
    expires_at integer not null
  , address text not null default '') strict, without rowid;
insert into schema_version (version, applied_at) values
  (1, 0),
  (2, 0),
  (3, 0),
  (4, 0),
  (5, 0),
  (6, 0),
  (7, 0),
  (8, 0),
  (9, 0),
  (10, 0),
  (11, 0),
  (12, 0),
  (13, 0);
insert into users (id, name, email, name_key, email_key, import_id) values
  (1, 'Administrator', 'administrator@example.invalid', 'administrator', 'administrator@example.invalid', null),
  (2, 'ann', 'someone@example.org', 'ann', 'someone@example.org', null),
  (3, 'second-admin', 'someone@example.org', 'second-admin', 'someone@example.org', null),
  (4, 'locked', 'someone@example.org', 'locked', 'someone@example.org', null),
  (5, 'disabled', 'someone@example.org', 'disabled', 'someone@example.org', null),
  (6, 'due', 'someone@example.org', 'due', 'someone@example.org', null),
  (7, 'none', 'someone@example.org', 'none', 'someone@example.org', null),
  (8, 'tom', 'someone@example.org', 'tom', 'someone@example.org', null),
  (9, 'Name of bob', 'bob@example.org', 'name of bob', 'bob@example.org', 1),
  (10, 'Name of pam', 'pam@example.org', 'name of pam', 'pam@example.org', 1),
  (11, 'No Account', 'no@example.org', 'no account', 'no@example.org', null),
  (12, 'Ida', 'ida@example.org', 'ida', 'ida@example.org', null),
  (13, 'fay', 'someone@example.org', 'fay', 'someone@example.org', null),
  (14, 'Once', 'once@example.org', 'once', 'once@example.org', null),
  (15, 'Staged x', 'x@example.org', 'staged x', 'x@example.org', 2),
  (16, 'Staged y', 'y@example.org', 'staged y', 'y@example.org', 2);
insert into row_counts (name, total) values
  ('accounts  0100', 1),
  ('accounts ADMIN 0100', 1),
  ('accounts EDITOR 0000', 1),
  ('accounts EDITOR 0100', 1),
  ('accounts USER 0100', 3),
  ('accounts USER 0101', 1),
  ('accounts USER 0110', 1),
  ('accounts USER 1100', 1),
  ('accounts USER,EDITOR 0100', 1),
  ('accounts USER,EDITOR,ADMIN 0100', 1),
  ('import 2  0100', 1),
  ('import 2 USER,ADMIN 0110', 1),
  ('posts', 2),
  ('users', 14);
insert into accounts (user_id, username, password_hash, roles, locked, active, must_change, created_at, failed_logins, locked_until, second_factor, import_id, import_line) values
  (1, 'admin', '$argon2id$v=19$m=64,t=1,p=1$uOskGwvdjWnXAqNuAe5xHw$CvFZaG2oz7MfBD1KxszQ/d1EyWcqT6ZPOid6KHSIzRM', 'USER,EDITOR,ADMIN', 0, 1, 0, 1768478400000, 0, null, 0, null, null),
  (2, 'ann', '$argon2id$v=19$m=64,t=1,p=1$P0/9Jt8nXm+MW21TQVHcPA$8PCNAlhVjWheYXlboEiLD6zKia1l1E6+WhorhS2Vu5I', 'USER,EDITOR', 0, 1, 0, 1768478400000, 0, null, 0, null, null),
  (3, 'second-admin', '$argon2id$v=19$m=64,t=1,p=1$zjVtL5Q+pa+RGh/8nrm0EQ$td92wYDcZr79grYn/2Vog+eclWzcxB71le1bmh9vhXU', 'ADMIN', 0, 1, 0, 1768478400000, 0, null, 0, null, null),
  (4, 'locked', '$argon2id$v=19$m=64,t=1,p=1$/Rgofpnjg02mLgzaohwqSQ$hzSScjdqLAQdVVXjwi46/jBtAckhmh2paqVxW0LuLn8', 'USER', 1, 1, 0, 1768478400000, 0, null, 0, null, null),
  (5, 'disabled', '$argon2id$v=19$m=64,t=1,p=1$7QEg9hxAnFg7auqLz8ye9Q$PCRZLaOhe4eZkr2eAAEfy1ruDZb4l1+fArSh1++Af/0', 'EDITOR', 0, 0, 0, 1768478400000, 0, null, 0, null, null),
  (6, 'due', '$argon2id$v=19$m=64,t=1,p=1$3PAryVDDv+drtGfWP6dIlA$/W6zerAw4GvvuqLiI1g3PHeYYx5nRCuMHHoQkChKNIs', 'USER', 0, 1, 1, 1768478400000, 0, null, 0, null, null),
  (7, 'none', '$argon2id$v=19$m=64,t=1,p=1$qKpfW4sAuZO7B7w6xbG/jw$oqlrYDq20Srg2Job/RUjuy0qbCcTVVoSU4oDGnrFNQE', '', 0, 1, 0, 1768478400000, 0, null, 0, null, null),
  (8, 'tom', '$argon2id$v=19$m=64,t=1,p=1$XHDuVW5U2rNEFNdV9AMVig$JQIuZP32WstJq/EBnpSWItFzsXcF5ku2QMdEwlbIs/4', 'USER', 0, 1, 0, 1768478400000, 0, null, 1, null, null),
  (9, 'bob', '$2y$04$T8dnsh3jj2bALyW0t2iPYuIwnW8Bh9NE/DBE.FVXhF8bmz8rcNLde', 'USER', 0, 1, 0, 1768478430000, 1, null, 0, 1, 1),
  (10, 'pam', '$pbkdf2-sha256$i=100$KD/XD3Hv/NNluGT9BI84oA$HtgokuQ0Y6Z6OfjhF5jnfUrk16U4ymHbuhZYFW50wZA', 'EDITOR', 0, 1, 0, 1768478430000, 0, null, 0, 1, 2),
  (12, 'ida', '$argon2id$v=19$m=64,t=1,p=1$HZXw+fX4c25Ct0hKVdTW0w$t9oM+HRztWGl8ua//zheptxPi9jp+wruFlwkxyP4i58', 'USER', 0, 1, 0, 1768478430000, 0, null, 0, null, null),
  (13, 'fay', '$argon2id$v=19$m=64,t=1,p=1$y7PB36YCvzr3ekD0YNIl8g$LCHzajcws/p8BsbScKdVmW5I+MCC+Ax7ZsgCBXmaJX4', 'USER', 0, 1, 0, 1768478430000, 0, 1768482030000, 0, null, null),
  (15, 'staged-0', '$2y$04$T8dnsh3jj2bALyW0t2iPYuIwnW8Bh9NE/DBE.FVXhF8bmz8rcNLde', '', 0, 1, 0, 1768478430000, 0, null, 0, 2, 1),
  (16, 'staged-1', '$2y$04$T8dnsh3jj2bALyW0t2iPYuIwnW8Bh9NE/DBE.FVXhF8bmz8rcNLde', 'USER,ADMIN', 0, 1, 1, 1768478430000, 0, null, 0, 2, 2);
insert into token_versions (user_id, access_version, refresh_version) values
  (1, 1, 1),
  (2, 1, 1),
  (3, 1, 1),
  (4, 2, 2),
  (5, 2, 2),
  (6, 1, 1),
  (7, 1, 1),
  (8, 2, 2),
  (9, 1, 1),
  (10, 1, 1),
  (12, 1, 1),
  (13, 1, 1),
  (15, 1, 1),
  (16, 1, 1);
insert into sessions (id, user_id, csrf_token, created_at, last_seen_at, address, user_agent) values
  ('IPmN6-HySNKXzfeSFBkSCAC7oI970Cm5oS00nusnsFU', 2, 'u7rtQP3OdWd-CgYqX3b-HiOMNsH9ZDNFP3-MQEF_1kg', 1768478430000, 1768478430000, '127.0.0.1', 'lightMyRequest'),
  ('yRsMkm0_5NwJOt681mBKQHU4NEx8UvIF2CPf9cll9hw', 8, '1DZ1uZUhW3nJX3KVY-SSvQraTnYWPf--pxdQ5TtYs3M', 1768478400000, 1768478400000, '127.0.0.1', 'lightMyRequest');
insert into throttle_places (id, username, address, taken_at, pending, expires_at) values
  (6, 'KqVxEwn2kPditMp0fMu80_mjQHNsDZF58VdqsMQu4vE', '192.0.2.7', 1768478430000, 0, 1768479330000),
  (7, '', '192.0.2.7', 1768478430000, 0, 1768482030000),
  (8, 'KqVxEwn2kPditMp0fMu80_mjQHNsDZF58VdqsMQu4vE', '192.0.2.7', 1768478430000, 0, 1768479330000),
  (9, '', '192.0.2.7', 1768478430000, 0, 1768482030000),
  (10, 'KqVxEwn2kPditMp0fMu80_mjQHNsDZF58VdqsMQu4vE', '192.0.2.7', 1768478430000, 0, 1768479330000),
  (11, '', '192.0.2.7', 1768478430000, 0, 1768482030000),
  (12, 'X2lwrNiI8iVOBIy6I8czhgdlEfToYOT7s2Y4gYxo1tk', '192.0.2.8', 1768478430000, 0, 1768479330000),
  (13, '', '192.0.2.8', 1768478430000, 0, 1768482030000);
insert into keys (id, purpose, algorithm, sealed, created_at, retired_at) values
  ('1rWRXEYFe8sAX0b2', 'signing', 'HS256', 'ZzrusIz7sAuR5ePG8NWztYqOcQ1fSy5ceK0DEO-8ZKvCsV2rN_3ihgCe1bbMwpxzx-y8d0ie9HH2-mxA', 1768478400000, null),
  ('SSqwC75x2wnMgMRz', 'data', 'A256GCM', 'Zmm4SCmZ39zvEeXpREx63xi8UGbw-6bhVZvApUYjAcR_k_6EWAxgvPSR4NvibFRSW4zseN8uRRzGBYdm', 1768478400000, null);
insert into used_challenges (nonce, expires_at) values
  ('n', 1768478490000);
insert into revocations (id, token, user_id, access_version, expires_at) values
  (1, null, 4, 2, 1769083200000),
  (2, null, 5, 2, 1769083200000),
  (3, null, 8, 2, 1769083200000),
  (4, 'FAWYrQaX30GZ2hc4BLfTNA', null, null, 1768482030000);
insert into refresh_uses (rid, family, successor, issued_at, successor_expires_at, used_at) values
  ('5sb0XBQkfRG8eHm1DFAauQ', 'SG21RTO437je9yLivtzHw_IyaW5SsUThrnCixPtQzxI.1769083230', 'pbcffHZ8o0V-izc9mOETFA', 1768478430, 1769083230, 1768478430000);
insert into second_factors (user_id, sealed, pending, last_step, used_steps) values
  (8, 'c3srOAKq0YDN8Byhnq-xehWIKAzkwJHuXewKVbcbSscl0iX983jkA69huj3b1akW', null, 58949280, 1);
insert into recovery_codes (user_id, code) values
  (8, '6xPuTBiSWbsTLtBugjTZomIOTfBWtOPl3ljy9aN2uDg'),
  (8, '7zk9nfwUyIU6FFEC1eJyqHZq4G8hW678P9virY3PAF0'),
  (8, 'Bi6EAMiAXcZuFtfa85dHxcF8LjQP6C3ueP_YrrSvr9Q'),
  (8, 'Nwi5yOnMSqc2M0FuibEcnDXk8j4D-iISfN6JzivVIR0'),
  (8, 'PPBfMGONZmMFdzQFKzSuMw7rqB4E3yeawrPAwHVy3EM'),
  (8, 'TRLkVp_MAvaTGJ2vWV01R86YQehgKdIL-lyN5E9fojk'),
  (8, 'bj98v74WTJMmCA7ELB4PtoO0ks_YeiiClgp_uRwWBAg'),
  (8, 'bpYu12matJ_AurNfvEF8tEY1sNvR7et-1oQe-3ZOnyI'),
  (8, 'eriTxLCZHINurMdof1fJ_FmWssSSvVwgpkZSDMFEq5s'),
  (8, 'opy5zVXZ3r1zE3lY-MjWgNjnT8jH-p_jLFWj-imLp_o');
insert into idempotency_keys (id, fingerprint, answer, expires_at) values
  ('QE3-Bu3gxBYXunnyipJTfKPeMIeQb9-KYMXNXGiR55w', '6u1-9IEui6kbwvtNU0PuX4pmpP-sHavHfcR5tpt1Fo4', '{"id":14,"name":"Once","email":"once@example.org"}', 1768564830000);
insert into posts (id, title, body, author_id, locked, created_at, updated_at) values
  (1, 'Kept', 'A body.', 2, 0, 1768478430000, 1768478430000),
  (2, 'Second', 'Another.', 1, 0, 1768478430000, 1768478430000);
insert into imports (id, state, lost, seen_at) values
  (2, 'open', 0, 1768478430000);
insert into import_names (import_id, username, line, user_id) values
  (2, 'read', 3, null);
insert into identities (id, user_id, issuer, subject, created_at) values
  (1, 12, 'https://idp.example.org', 'ida', 1768478430000);
insert into flows (id, browser, purpose, provider, user_id, sealed, return_to, expires_at, address) values
  ('fffffffffffffffffffffffffffffffffffffffffff', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'link', 'oidc', 2, 'x', '/', 1768479030000, '');
insert into sqlite_sequence (name, seq) values
  ('users', 16),
  ('throttle_places', 23),
  ('revocations', 4),
  ('imports', 2),
  ('identities', 1),
  ('posts', 2);
CREATE VIRTUAL TABLE users_search using fts5 (
        text, content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
      );
insert into users_search (rowid, text) select id, char(2, 2) || name_key || char(2, 2) || email_key from users order by id;
CREATE INDEX users_by_name on users (name_key, id);
CREATE INDEX users_by_email on users (email_key, id);
CREATE INDEX accounts_administrators on accounts (user_id)
    where roles like '%ADMIN%' and active = 1 and locked = 0;
CREATE INDEX sessions_by_user on sessions (user_id);
CREATE INDEX throttle_places_by_key on throttle_places (username, address, taken_at);
CREATE INDEX throttle_places_by_expiry on throttle_places (expires_at);
CREATE INDEX used_challenges_by_expiry on used_challenges (expires_at);
CREATE INDEX revocations_by_expiry on revocations (expires_at);
CREATE INDEX refresh_uses_by_expiry on refresh_uses (successor_expires_at);
CREATE INDEX idempotency_keys_by_expiry on idempotency_keys (expires_at);
CREATE INDEX posts_by_id on posts (id);
CREATE INDEX posts_by_author on posts (author_id);
CREATE INDEX accounts_failing on accounts (user_id)
    where failed_logins > 0 or locked_until is not null;
CREATE INDEX import_names_by_user on import_names (import_id, user_id) where user_id is not null;
CREATE INDEX users_by_import on users (import_id, id) where import_id is not null;
CREATE INDEX accounts_by_import on accounts (import_id, user_id) where import_id is not null;
CREATE INDEX identities_by_user on identities (user_id);
CREATE INDEX flows_by_expiry on flows (expires_at);
CREATE INDEX sessions_by_activity on sessions (last_seen_at, created_at);
CREATE INDEX sessions_by_creation on sessions (created_at);
CREATE INDEX refresh_families_ended_by_expiry on refresh_families_ended (expires_at);
CREATE INDEX refresh_uses_by_family on refresh_uses (family, successor_expires_at);
CREATE INDEX flows_by_address on flows (purpose, address, expires_at);
CREATE INDEX flows_by_user on flows (user_id, purpose, expires_at);
CREATE INDEX accounts_by_hash_kind on accounts ((case substr(password_hash, 1, 2)
    when '$2' then substr(password_hash, 1, 6)
    when '$p' then rtrim(rtrim(rtrim(password_hash, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-='), '$'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=')
      || cast(length(password_hash) - length(rtrim(password_hash, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=')) as text)
    else rtrim(rtrim(rtrim(password_hash, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-='), '$'), 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-=') end));
CREATE TRIGGER posts_counted_in after insert on posts begin
    update row_counts set total = total + 1 where name = 'posts';
  end;
CREATE TRIGGER posts_counted_out after delete on posts begin
    update row_counts set total = total - 1 where name = 'posts';
  end;
CREATE TRIGGER users_counted_in after insert on users when new.import_id is null begin
    update row_counts set total = total + 1 where name = 'users';
  end;
CREATE TRIGGER users_counted_out after delete on users
    when not exists (select 1 from imports where id = old.import_id and state <> 'done')
  begin
    update row_counts set total = total - 1 where name = 'users';
  end;
CREATE TRIGGER accounts_counted_in after insert on accounts begin
      insert into row_counts (name, total) values ((case when exists
      (select 1 from imports where imports.id = new.import_id and imports.state <> 'done')
    then 'import ' || new.import_id else 'accounts' end
    || ' ' || new.roles || ' ' || new.locked || new.active || new.must_change || new.second_factor), 1)
      on conflict (name) do update set total = total + excluded.total;
    end;
CREATE TRIGGER accounts_counted_out after delete on accounts begin
      insert into row_counts (name, total) values ((case when exists
      (select 1 from imports where imports.id = old.import_id and imports.state <> 'done')
    then 'import ' || old.import_id else 'accounts' end
    || ' ' || old.roles || ' ' || old.locked || old.active || old.must_change || old.second_factor), -1)
      on conflict (name) do update set total = total + excluded.total;
    end;
CREATE TRIGGER accounts_counted_anew
      after update of roles, locked, active, must_change, second_factor on accounts
      when (case when exists
      (select 1 from imports where imports.id = old.import_id and imports.state <> 'done')
    then 'import ' || old.import_id else 'accounts' end
    || ' ' || old.roles || ' ' || old.locked || old.active || old.must_change || old.second_factor) <> (case when exists
      (select 1 from imports where imports.id = new.import_id and imports.state <> 'done')
    then 'import ' || new.import_id else 'accounts' end
    || ' ' || new.roles || ' ' || new.locked || new.active || new.must_change || new.second_factor) begin
      insert into row_counts (name, total) values ((case when exists
      (select 1 from imports where imports.id = old.import_id and imports.state <> 'done')
    then 'import ' || old.import_id else 'accounts' end
    || ' ' || old.roles || ' ' || old.locked || old.active || old.must_change || old.second_factor), -1), ((case when exists
      (select 1 from imports where imports.id = new.import_id and imports.state <> 'done')
    then 'import ' || new.import_id else 'accounts' end
    || ' ' || new.roles || ' ' || new.locked || new.active || new.must_change || new.second_factor), 1)
      on conflict (name) do update set total = total + excluded.total;
    end;
CREATE TRIGGER imports_counted after update of state on imports
      when new.state = 'done' and old.state <> 'done' begin
      insert into row_counts (name, total) select 'accounts' || substr(name, length('import ' || new.id) + 1), total from row_counts where name >= 'import ' || new.id || ' ' and name < 'import ' || new.id || '!'
      on conflict (name) do update set total = total + excluded.total;
      delete from row_counts where name >= 'import ' || new.id || ' ' and name < 'import ' || new.id || '!';
    end;
CREATE TRIGGER imports_uncounted after delete on imports begin
      delete from row_counts where name >= 'import ' || old.id || ' ' and name < 'import ' || old.id || '!';
    end;
CREATE TRIGGER users_searched_in after insert on users begin
        insert into users_search (rowid, text) values (new.id, char(2, 2) || new.name_key || char(2, 2) || new.email_key);
      end;
CREATE TRIGGER users_searched_out after delete on users begin
        insert into users_search (users_search, rowid, text)
          values ('delete', old.id, char(2, 2) || old.name_key || char(2, 2) || old.email_key);
      end;
CREATE TRIGGER users_searched_anew after update of name_key, email_key on users
        when old.name_key <> new.name_key or old.email_key <> new.email_key begin
        insert into users_search (users_search, rowid, text)
          values ('delete', old.id, char(2, 2) || old.name_key || char(2, 2) || old.email_key);
        insert into users_search (rowid, text) values (new.id, char(2, 2) || new.name_key || char(2, 2) || new.email_key);
      end;
