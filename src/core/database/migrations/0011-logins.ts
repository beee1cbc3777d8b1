import type { Migration } from './statement.ts'

/** Single-use codes, revoked token families, a limit of pending sign-ins. */
export const statements: Migration = [
  // Bit n: step `last_step - n`. Only the last step was stored before, so earlier steps count as
  // used.
  `alter table second_factors add column used_steps integer not null default 4503599627370495`,

  // For the expiry of a family.
  'create index refresh_uses_by_family on refresh_uses (family, successor_expires_at)',

  "alter table flows add column address text not null default ''",
  'drop index flows_by_purpose',
  'drop index flows_by_user',
  'create index flows_by_address on flows (purpose, address, expires_at)',
  'create index flows_by_user on flows (user_id, purpose, expires_at)',
]
