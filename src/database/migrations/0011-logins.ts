import type { Migration } from './statement.ts'

/** Codes of a second factor count once, pairs end as a whole, sign-ins under way are bounded. */
export const statements: Migration = [
  // Bit n: the step `last_step - n`. Of what was used so far the last step alone was remembered:
  // all of those below count as used.
  `alter table second_factors add column used_steps integer not null default 4503599627370495`,

  // Until when the tokens of a pair live.
  'create index refresh_uses_by_family on refresh_uses (family, successor_expires_at)',

  "alter table flows add column address text not null default ''",
  'drop index flows_by_purpose',
  'drop index flows_by_user',
  'create index flows_by_address on flows (purpose, address, expires_at)',
  'create index flows_by_user on flows (user_id, purpose, expires_at)',
]
