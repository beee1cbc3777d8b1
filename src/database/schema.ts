import type { Generated } from 'kysely'

/**
 * The tables. Times are integers in epoch milliseconds, UTC; flags are 0 or 1; what a bearer could
 * use is stored as a SHA-256 digest. The same on every database.
 */
export interface Schema {
  users: UsersTable
  accounts: AccountsTable
  role_assignments: RoleAssignmentsTable
  passwords: PasswordsTable
  token_versions: TokenVersionsTable
  sessions: SessionsTable
  throttle_places: ThrottlePlacesTable
  used_challenges: UsedChallengesTable
  second_factors: SecondFactorsTable
  recovery_codes: RecoveryCodesTable
  revocations: RevocationsTable
  refresh_uses: RefreshUsesTable
  refresh_families_ended: RefreshFamiliesEndedTable
  identities: IdentitiesTable
  flows: FlowsTable
  idempotency_keys: IdempotencyKeysTable
  posts: PostsTable
  keys: KeysTable
  imports: ImportsTable
  import_names: ImportNamesTable
  row_counts: RowCountsTable
  users_search: UsersSearchTable
  schema_version: SchemaVersionTable
  room_schemas: RoomSchemasTable
}

interface UsersTable {
  id: Generated<number>
  name: string
  email: string
  /** Case-folded copies, for search and for sorting alike on every database. */
  name_key: string
  email_key: string
  /** Of an import that is not done: not to be seen, see staged.ts. */
  import_id: Generated<number | null>
}

interface AccountsTable {
  user_id: number
  username: string
  locked: number
  active: number
  second_factor: Generated<number>
  /** In a row, over all addresses; 0 again after a success and when they have locked the account. */
  failed_logins: Generated<number>
  /** Of the automatic lock, which ends by itself; `locked` is the administrator's. */
  locked_until: number | null
  created_at: number
  import_id: Generated<number | null>
  import_line: Generated<number | null>
}

/** Which roles an account has, by their names. */
interface RoleAssignmentsTable {
  account: number
  role: string
}

/** An account without a row has no password. */
interface PasswordsTable {
  account: number
  /** A PHC string (Argon2id, PBKDF2) or a bcrypt hash; null: there is none yet, and one is due. */
  hash: string | null
  /** When the password was set here; null where that was not written down, or it was set elsewhere. */
  changed_at: number | null
  /** The next login must set a new one. */
  must_change: Generated<number>
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
  /** How its login was proved, by the names of RFC 8176 with a space between them; empty: not known. */
  amr: Generated<string>
  created_at: number
  last_seen_at: number
  address: string
  user_agent: string
}

interface ThrottlePlacesTable {
  id: Generated<number>
  /**
   * Digest of the canonical username: people type passwords into the wrong field. Other counts
   * than that of spec 3.3 have other texts here.
   */
  username: string
  address: string
  taken_at: number
  /** 1 while the password is being verified, 0 once the place is used. */
  pending: number
  /** When no window counts it any more. */
  expires_at: number
}

/** Proofs of work count once. */
interface UsedChallengesTable {
  nonce: string
  expires_at: number
}

interface SecondFactorsTable {
  user_id: number
  /** The confirmed secret, and one that waits for its first code: under the data key. */
  sealed: string | null
  pending: string | null
  /** The latest step of 30 s whose code was accepted. */
  last_step: number
  /** Which ones were: bit n stands for `last_step - n`. Each is accepted once. */
  used_steps: Generated<number>
}

interface RecoveryCodesTable {
  user_id: number
  /** Digest of the code. */
  code: string
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
  /** The line: the id of the pair that it began with (of older ones, its first `rid`). */
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

/** Who somebody is at an identity provider. */
interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: number
}

/** Sign-ins that are under way at a provider, or wait for a second factor. */
interface FlowsTable {
  /** Digest of the state, or of the ticket that waits. */
  id: string
  /** Digest of the cookie of the browser that began. */
  browser: string
  purpose: 'sign_in' | 'link' | 'second_factor'
  provider: string
  /** Whose account: while it is linked, and while the second factor is waited for. */
  user_id: number | null
  /** What only we may know, under the data key. */
  sealed: string
  return_to: string
  expires_at: number
  /** Of the client that began a sign-in, as limits count it; empty where an account began. */
  address: Generated<string>
}

interface IdempotencyKeysTable {
  /** Digest of caller, route and key. */
  id: string
  /** Keyed digest of the body. */
  fingerprint: string
  /** The answer's body as JSON. */
  answer: string
  expires_at: number
}

interface PostsTable {
  id: Generated<number>
  title: string
  body: string
  /** Null once the user is gone. */
  author_id: number | null
  locked: Generated<number>
  created_at: number
  /** Of the last change of title or body. */
  updated_at: number
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

interface ImportsTable {
  id: Generated<number>
  state: 'open' | 'done' | 'failed'
  /** How many of its names somebody else has taken meanwhile: then it cannot be done. */
  lost: Generated<number>
  /** An open one that was not seen for long has died with its process. */
  seen_at: number
}

/** Lines of an import under way that made no account: see 0008-imports.ts. */
interface ImportNamesTable {
  import_id: number
  username: string
  line: number
  user_id: number | null
}

interface RowCountsTable {
  /** The counted table. Kept by triggers, so that a total costs the same at any size. */
  name: string
  total: number
}

/** Of SQLite alone: full-text search, whose rows are filled by triggers of `users`. */
interface UsersSearchTable {
  rowid: number
  text: string
}

interface SchemaVersionTable {
  version: number
  applied_at: number
}

/** The migrations that rooms from outside have run. */
interface RoomSchemasTable {
  room: string
  version: number
  applied_at: number
}
