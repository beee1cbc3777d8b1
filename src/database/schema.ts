import type { Generated } from 'kysely'

/**
 * The tables. Times are integers in epoch milliseconds, UTC; flags are 0 or 1; what a bearer could
 * use is stored as a SHA-256 digest. The same on every database.
 */
export interface Schema {
  users: UsersTable
  accounts: AccountsTable
  token_versions: TokenVersionsTable
  sessions: SessionsTable
  throttle_places: ThrottlePlacesTable
  revocations: RevocationsTable
  refresh_uses: RefreshUsesTable
  refresh_families_ended: RefreshFamiliesEndedTable
  keys: KeysTable
  row_counts: RowCountsTable
  schema_version: SchemaVersionTable
}

interface UsersTable {
  id: Generated<number>
  name: string
  email: string
  /** Case-folded copies, for search and for sorting alike on every database. */
  name_key: string
  email_key: string
}

interface AccountsTable {
  user_id: number
  username: string
  /** A PHC string (Argon2id, PBKDF2) or a bcrypt hash. */
  password_hash: string
  /** Names in their fixed order, joined by commas. */
  roles: string
  locked: number
  active: number
  must_change: number
  created_at: number
}

/** Raised to end the access tokens, or the refresh tokens, of a user given out so far. */
interface TokenVersionsTable {
  user_id: number
  access_version: number
  refresh_version: number
}

interface SessionsTable {
  /** Digest of the cookie's value. */
  id: string
  user_id: number
  csrf_token: string
  created_at: number
  last_seen_at: number
  address: string
  user_agent: string
}

interface ThrottlePlacesTable {
  id: Generated<number>
  /** Digest of the canonical username: people type passwords into the wrong field. */
  username: string
  address: string
  taken_at: number
  /** 1 while the password is being verified, 0 once the place is used. */
  pending: number
}

interface RevocationsTable {
  id: Generated<number>
  /** The `jti` of a single token, or else a user and the version below which its tokens ended. */
  token: string | null
  user_id: number | null
  access_version: number | null
  expires_at: number
}

interface RefreshUsesTable {
  /** Of the refresh token that was used, and of the one that was given for it. */
  rid: string
  successor: string
  /** The first `rid` of the line. */
  family: string
  /** Of the successor, as its claims have them: seconds since the epoch. */
  issued_at: number
  successor_expires_at: number
  used_at: number
}

interface RefreshFamiliesEndedTable {
  family: string
  /** Seconds since the epoch, of the last token of the line. */
  expires_at: number
}

interface KeysTable {
  /** The `kid` of a signing key. */
  id: string
  purpose: 'signing' | 'data'
  algorithm: string
  /** The key's material under the master key: AES-256-GCM, base64url. */
  sealed: string
  created_at: number
  /** Until when a replaced key still verifies; null for the one in use. */
  retired_at: number | null
}

interface RowCountsTable {
  /** The counted table. Kept by triggers, so that a total costs the same at any size. */
  name: string
  total: number
}

interface SchemaVersionTable {
  version: number
  applied_at: number
}
