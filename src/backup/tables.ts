import type { RawBuilder } from 'kysely'
import type { Schema } from '../database/schema.ts'
import {
  isOfPresentAccount,
  isOfPresentUser,
  isPresentAccount,
  isPresentUser,
} from '../database/staged.ts'

/** A table that a copy takes along. */
export interface CopiedTable {
  readonly name: keyof Schema
  /** Its primary key, in the order of which it is read. */
  readonly key: readonly string[]
  /** Its ids are given out by the database, in `id`, and never twice. */
  readonly givesIds?: true
  /** Its rows are proof of a login; a restore leaves them out, unless told to keep logins. */
  readonly isLogin?: true
  /** Columns that only the data key opens. Worth nothing without the key set. */
  readonly sealed?: readonly string[]
  /** Rows of an import that is under way stay behind: nobody has seen them. */
  readonly unlessStaged?: RawBuilder<boolean> | undefined
  /** Columns that mean nothing elsewhere. */
  readonly blank?: readonly string[]
}

/** In an order in which every row comes after those it refers to. */
export const copiedTables: readonly CopiedTable[] = [
  {
    name: 'users',
    key: ['id'],
    givesIds: true,
    unlessStaged: isPresentUser,
    blank: ['import_id'],
  },
  {
    name: 'accounts',
    key: ['user_id'],
    unlessStaged: isPresentAccount,
    blank: ['import_id', 'import_line'],
  },
  { name: 'role_assignments', key: ['account', 'role'], unlessStaged: isOfPresentAccount },
  { name: 'passwords', key: ['account'], unlessStaged: isOfPresentAccount },
  { name: 'token_versions', key: ['user_id'], unlessStaged: isOfPresentUser },
  { name: 'second_factors', key: ['user_id'], sealed: ['sealed', 'pending'] },
  { name: 'recovery_codes', key: ['user_id', 'code'] },
  { name: 'sessions', key: ['id'], isLogin: true },
  { name: 'revocations', key: ['id'], givesIds: true },
  { name: 'refresh_uses', key: ['rid'] },
  { name: 'refresh_families_ended', key: ['family'] },
  { name: 'throttle_places', key: ['id'], givesIds: true },
  { name: 'used_challenges', key: ['nonce'] },
  { name: 'idempotency_keys', key: ['id'] },
  { name: 'posts', key: ['id'], givesIds: true },
  { name: 'identities', key: ['id'], givesIds: true },
  { name: 'keys', key: ['id'] },
]

/** Why the others stay. */
export const leftOutTables: Partial<Record<keyof Schema, string>> = {
  imports: 'under way elsewhere: begun anew where the data goes',
  import_names: 'of those imports',
  flows: 'sign-ins that are under way for ten minutes, in a browser that waits elsewhere',
  row_counts: 'counted again by its triggers, as the rows come in',
  users_search: 'an index of SQLite, made again by its triggers as the users come in',
  schema_version: 'written by the migrations that make the new database',
}
