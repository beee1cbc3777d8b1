import type { Migration } from './statement.ts'

const ofKey = (row: string) =>
  `from throttle_places as own where own.username = ${row}.username and own.address = ${row}.address
    and own.expires_at > ${row}.taken_at`

/**
 * Count full login limits by index: `nth` counts the active attempts including the new one,
 * `frees_at` is when the first expires. Written by triggers, to include the previous version's
 * attempts.
 *
 * The key's length distinguishes the limits (throttle/keys.ts); a condition on the username could
 * make the database choose the keys' index.
 */
export const statements: Migration = [
  'alter table throttle_places add column nth integer not null default 0',
  'alter table throttle_places add column frees_at integer not null default 0',
  {
    sqlite: [
      `create trigger throttle_places_ranked after insert on throttle_places begin
        update throttle_places set (nth, frees_at) =
          (select count(*), min(own.expires_at) ${ofKey('new')})
        where id = new.id;
      end`,
    ],
    postgres: [
      `create function rank_throttle_place() returns trigger language plpgsql as $$
        begin
          select count(*) + 1, least(new.expires_at, min(own.expires_at)) into new.nth, new.frees_at
            ${ofKey('new')};
          return new;
        end $$`,
      `create trigger throttle_places_ranked before insert on throttle_places
        for each row execute function rank_throttle_place()`,
    ],
  },
  `update throttle_places set
    nth = (select count(*) ${ofKey('throttle_places')} and own.taken_at <= throttle_places.taken_at),
    frees_at = (select min(own.expires_at) ${ofKey('throttle_places')}
      and own.taken_at <= throttle_places.taken_at)
    where expires_at > taken_at`,
  `create index throttle_places_full_logins on throttle_places (nth, frees_at)
    where length(username) = 43`,
  `create index throttle_places_full_addresses on throttle_places (nth, frees_at)
    where length(username) = 0`,
]
