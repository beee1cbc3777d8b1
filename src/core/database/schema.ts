import type { Generated } from 'kysely'

/**
 * The tables, the same on every database. Times are integers in epoch milliseconds, UTC; flags are
 * 0 or 1; secrets of bearers are stored as SHA-256 digests.
 */
export interface Schema {
  users: UsersTable
  accounts: AccountsTable
  role_assignments: RoleAssignmentsTable
  passwords: PasswordsTable
  token_versions: TokenVersionsTable
  sessions: SessionsTable
  session_ends: SessionEndsTable
  forward_tickets: ForwardTicketsTable
  forward_sessions: ForwardSessionsTable
  refusals: RefusalsTable
  throttle_places: ThrottlePlacesTable
  used_challenges: UsedChallengesTable
  second_factors: SecondFactorsTable
  recovery_codes: RecoveryCodesTable
  revocations: RevocationsTable
  refresh_uses: RefreshUsesTable
  refresh_families_ended: RefreshFamiliesEndedTable
  identities: IdentitiesTable
  flows: FlowsTable
  confirmations: ConfirmationsTable
  mails: MailsTable
  notices: NoticesTable
  known_devices: KnownDevicesTable
  invitations: InvitationsTable
  webhook_endpoints: WebhookEndpointsTable
  webhook_health: WebhookHealthTable
  webhook_events: WebhookEventsTable
  webhook_deliveries: WebhookDeliveriesTable
  webhook_queues: WebhookQueuesTable
  backup_runs: BackupRunsTable
  statistics_buckets: StatisticsBucketsTable
  erasures: ErasuresTable
  audit_erasures_unlisted: AuditErasuresUnlistedTable
  master_key_turns: MasterKeyTurnsTable
  master_key_nodes: MasterKeyNodesTable
  audit_checkpoint_keys: AuditCheckpointKeysTable
  idempotency_keys: IdempotencyKeysTable
  posts: PostsTable
  keys: KeysTable
  audit_records: AuditRecordsTable
  audit_chains: AuditChainsTable
  audit_subjects: AuditSubjectsTable
  audit_checkpoints: AuditCheckpointsTable
  audit_tombstones: AuditTombstonesTable
  audit_verifications: AuditVerificationsTable
  imports: ImportsTable
  import_names: ImportNamesTable
  row_counts: RowCountsTable
  leaving_users: PendingDeletionsTable
  list_blocks: ListBlocksTable
  list_changes: ListChangesTable
  users_search: UsersSearchTable
  accounts_search: UsersSearchTable
  schema_version: SchemaVersionTable
  room_schemas: ModuleSchemasTable
}

interface UsersTable {
  id: Generated<number>
  name: string
  email: string
  /** Case-folded copies, by which every database searches and sorts alike. */
  name_key: string
  email_key: string
  /** The import that staged the row, which is invisible until that is done: see pending-import.ts. */
  import_id: Generated<number | null>
}

interface AccountsTable {
  user_id: number
  username: string
  locked: number
  active: number
  second_factor: Generated<number>
  /** Consecutive ones over all addresses; 0 after a success, and after a lockout began. */
  failed_logins: Generated<number>
  /** The end of a lockout; `locked` is the administrator's lock. */
  locked_until: number | null
  created_at: number
  import_id: Generated<number | null>
  import_line: Generated<number | null>
  /** The verified address as it was typed; `users.email` is another one, which proves nothing. */
  verified_email: Generated<string | null>
  /** Its canonical form, unique among accounts. */
  verified_email_key: Generated<string | null>
  email_verified_at: Generated<number | null>
  /** When the mail server refused the address for good, and its words. */
  undeliverable_at: Generated<number | null>
  undeliverable_reason: Generated<string | null>
  /** The language of pages and mail; null: that of the request. */
  language: Generated<string | null>
  /** 0 before the first login. */
  last_login_at: Generated<number>
  /** When the account is erased, because its owner asked for that; `active` is 0 until then. */
  deletion_at: Generated<number | null>
  /** The flag `active` of such an account as administrators set it; null for all others. */
  active_kept: Generated<number | null>
  /** The last login with the password; null: none since this was recorded. */
  last_password_login_at: Generated<number | null>
}

/** The names of the roles of accounts. */
interface RoleAssignmentsTable {
  account: number
  role: string
}

/** An account without a row has no password. */
interface PasswordsTable {
  account: number
  /** A PHC string (Argon2id, PBKDF2) or a bcrypt hash; null if a password must be set first. */
  hash: string | null
  /** When the password was set here; null if it was imported, or set before this was recorded. */
  changed_at: number | null
  /** 1 if the next login must set a new password. */
  must_change: Generated<number>
}

/** Versions of a user's tokens; a higher version ends the tokens that were issued before. */
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
  /** The authentication methods of its login (RFC 8176), joined by spaces; empty if not known. */
  amr: Generated<string>
  /** Epoch milliseconds; 0 if the provider did not say, null for a session of an earlier version. */
  auth_time: number | null
  created_at: number
  last_seen_at: number
  address: string
  user_agent: string
}

/** Hands a session over to the host of an application, once. */
interface ForwardTicketsTable {
  /** Digest of the ticket. */
  id: string
  /** The session that it is of; the end of that session removes it. */
  session_id: string
  /** The origin of the application: scheme, host, and the port unless it is the scheme's own. */
  origin: string
  /** Digest of the cookie of the browser at that host. */
  browser: string
  /** The address of the application that was asked for. */
  return_to: string
  expires_at: number
}

/** A session at the host of an application, which ends with the session that it is of. */
interface ForwardSessionsTable {
  /** Digest of the cookie's value. */
  id: string
  session_id: string
  origin: string
  created_at: number
}

interface ThrottlePlacesTable {
  id: Generated<number>
  /**
   * Digest of the canonical username, because users type passwords into the wrong field. Limits
   * other than that of spec 3.3 have other keys here.
   */
  username: string
  address: string
  taken_at: number
  /** 1 while the password is being verified, 0 after the attempt has failed. */
  pending: number
  /** When the last window that counts the attempt ends. */
  expires_at: number
  /** Triggers write both: how many attempts of the key counted with it, and when the first expires. */
  nth: Generated<number>
  frees_at: Generated<number>
}

/** Used proofs of work, each of which is accepted once. */
interface UsedChallengesTable {
  nonce: string
  expires_at: number
}

interface SecondFactorsTable {
  user_id: number
  /** The confirmed secret, and a pending one without a first code; encrypted under the data key. */
  sealed: string | null
  pending: string | null
  /** The latest step of 30 s whose code was accepted. */
  last_step: number
  /** The steps whose codes were used: bit n stands for `last_step - n`. */
  used_steps: Generated<number>
  /** When the secret was confirmed; null before that, and for those of a version before. */
  confirmed_at: Generated<number | null>
}

interface RecoveryCodesTable {
  user_id: number
  /** Digest of the code. */
  code: string
  /** Null for codes of a version before. */
  created_at: Generated<number | null>
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
  /** The ids of the used refresh token and of its successor. */
  rid: string
  successor: string
  /** The token family: the id of its first pair (of older families, its first `rid`). */
  family: string
  /** Claims of the successor, in seconds since the epoch. */
  issued_at: number
  successor_expires_at: number
  used_at: number
}

interface RefreshFamiliesEndedTable {
  family: string
  /** When the last token of the family expires, in seconds since the epoch. */
  expires_at: number
}

/** The identities of users at identity providers. */
interface IdentitiesTable {
  id: Generated<number>
  user_id: number
  issuer: string
  subject: string
  created_at: number
  /** 1 if the account was made with it; null if a version before wrote the row. */
  made_account: Generated<number | null>
}

/** Flows that are under way: at a provider, or on pages. */
interface FlowsTable {
  /** Digest of the state, of the ticket for the second factor, or of the id of a flow of pages. */
  id: string
  /** Digest of the cookie of the browser that began the flow. */
  browser: string
  /** `sign_in`, `link`, `second_factor`, or that of pages. */
  purpose: string
  /** Empty for a flow of pages. */
  provider: string
  /** The account that links, or whose second factor is required; null for a sign-in. */
  user_id: number | null
  /** The secrets of the flow, encrypted under the data key. */
  sealed: string
  return_to: string
  expires_at: number
  /** The client of a sign-in by the key of its limits; empty if an account began the flow. */
  address: Generated<string>
  /** The step that a flow of pages is at; empty for one at a provider. */
  step: Generated<string>
  /** How many wrong codes were typed. */
  tries: Generated<number>
  language: Generated<string | null>
}

/** Proofs under way that the caller reads a mailbox: neither link nor code is stored. */
interface ConfirmationsTable {
  /** The part of the link's token that finds the row. */
  id: string
  purpose: string
  user_id: number | null
  /** Keyed digest of the canonical address. */
  address_index: string
  /** JSON of the address, the language and what the purpose needs, under the data key. */
  sealed: string
  /** The refresh version of the account at the beginning; 0 without an account. */
  version: number
  /** The flow that asked last. Like `tries`, for nodes of the previous version alone. */
  flow: string | null
  tries: Generated<number>
  created_at: number
  expires_at: number
  used_at: number | null
}

/** The outbox. */
interface MailsTable {
  id: string
  /** The name of the message. */
  message: string
  kind: 'request' | 'notice'
  /** `dropped`: never sent, because no account has the address or a limit was reached. */
  state: 'waiting' | 'sending' | 'sent' | 'failed' | 'expired' | 'cancelled' | 'dropped'
  user_id: number | null
  confirmation: string | null
  /** JSON of address, language and facts; null after it was sent. */
  sealed: string | null
  address_index: string
  /** Keyed digest of the network of the client that asked for it. */
  client_index: string | null
  /** Lower ones go first. */
  priority: number
  attempts: Generated<number>
  due_at: number
  expires_at: number
  /** When it is due, if it is sealed under the key of its person; null: under the data key. */
  ready_at: number | null
  /** The lease of the process that sends it. */
  locked_until: number | null
  /** The same of mail that has `ready_at`: see mail/due.ts. */
  lease_until: number | null
  locked_by: string | null
  /** What the mail server answered at last. */
  response: string | null
  created_at: number
  finished_at: number | null
  /** The flow in which the code counts: a flow of pages, or the `id` in the answer to a program. */
  flow: string | null
  /** How many codes were typed in the flow since this mail. */
  tries: Generated<number>
  /** Whether it was sent although a limit was reached: 0 or 1. */
  is_extra: Generated<number>
}

/** What the owner of an account was told, for 30 days. */
interface NoticesTable {
  id: Generated<number>
  user_id: number
  type: string
  at: number
  /** JSON of the facts, under the data key. */
  sealed: string
}

/** The devices that have signed in to an account. */
interface KnownDevicesTable {
  user_id: number
  /** Keyed digest. */
  device: string
  first_seen_at: number
  last_seen_at: number
}

interface InvitationsTable {
  id: Generated<number>
  confirmation: string
  /** JSON of address and name, under the data key. */
  sealed: string
  address_index: string
  /** Names, joined by commas. */
  roles: string
  invited_by: number | null
  created_at: number
  expires_at: number
  accepted_at: number | null
  revoked_at: number | null
  /** The user whose account was made. */
  user_id: number | null
}

interface IdempotencyKeysTable {
  /** Digest of caller, route and key. */
  id: string
  /** Keyed digest of the body. */
  fingerprint: string
  /** The answer's body as JSON; empty after a person whom it may name was erased. */
  answer: string
  /** The user who called, and the user whom the answer names. */
  caller: Generated<number | null>
  person: Generated<number | null>
  expires_at: number
}

interface PostsTable {
  id: Generated<number>
  title: string
  body: string
  /** Null after the user was deleted. */
  author_id: number | null
  locked: Generated<number>
  created_at: number
  /** The last change of title or body. */
  updated_at: number
}

interface KeysTable {
  /** The `kid` of a signing key. */
  id: string
  purpose: 'signing' | 'data'
  algorithm: string
  /** The key, encrypted under the master key: AES-256-GCM, base64url. */
  sealed: string
  created_at: number
  /** Until when a replaced key verifies; null for the current key. */
  retired_at: number | null
  /** What the key is for, which `purpose` alone does not say; null if version 0.2.0 made it. */
  usage: 'signing' | 'refresh' | 'data' | null
  /** From when it signs; null: as soon as every node knows it. */
  signs_from: number | null
}

/** Binary values of the audit tables are base64url: see audit/record-form.ts. */
interface AuditRecordsTable {
  /** The order of insertion, never used again. */
  number: Generated<number>
  chain: string
  /** 1 for the first record of the chain, then without gaps. */
  place: number
  /** A ULID. */
  id: string
  at: number
  type: string
  level: 'info' | 'warn' | 'critical'
  outcome: 'success' | 'failure'
  reason: string | null
  request_id: string | null
  /** Canonical JSON of the fields that name no person. */
  facts: string
  /** The pseudonym of the person whose key has sealed the fields of the actor, or `service`. */
  actor_key: string | null
  actor_sealed: string | null
  target_key: string | null
  target_sealed: string | null
  /** Keyed digests, by which records are found; not part of the chain. */
  actor_index: string | null
  target_index: string | null
  address_index: string | null
  /** Authenticates the record and the one before it in the chain. */
  mac: string
}

/** A chain of records, which one process writes. */
interface AuditChainsTable {
  chain: string
  instance: string
  version: string
  opened_at: number
  closed_at: number | null
}

/** A key for each person whom records name. */
interface AuditSubjectsTable {
  /** The user's id as text, `issuer#sub`, or `client:id`. */
  subject: string
  /** The name of the key in records, by which a reader finds it. */
  pseudonym: string
  /** The key, encrypted under the data key. */
  sealed: string
}

interface AuditCheckpointsTable {
  /** Without gaps. */
  number: number
  at: number
  /** SHA-256 of the checkpoint before. */
  previous: string
  /** JSON: of each chain that has grown, `[chain, from, place, mac, number]`; see checkpoint-form.ts. */
  heads: string
  /** How many records were ever written. */
  records: number
  key_id: string
  signature: string
}

/** The beginning of a chain that retention has removed. */
interface AuditTombstonesTable {
  chain: string
  /** The last removed record. */
  place: number
  mac: string
  /** How many records of the chain were removed in all. */
  records: number
  at: number
  key_id: string
  signature: string
  /** The closed keys that removed records list: see audit/closed-keys.ts. */
  closed: Generated<string>
}

/** Up to which record erasures have no proof: see audit/unlisted-erasures.ts. At most one row. */
interface AuditErasuresUnlistedTable {
  through: number
}

interface ImportsTable {
  id: Generated<number>
  state: 'open' | 'done' | 'failed'
  /** How many of its names other requests have taken; if any, it cannot be completed. */
  lost: Generated<number>
  /** When its process last touched it; an open import without a recent touch is dead. */
  seen_at: number
  /** Null if a node of 0.8.0 began it, which does not count lines. */
  started_at: number | null
  /** How many lines were read when it was last touched. */
  lines: Generated<number>
  dry_run: Generated<number>
}

/** The names on lines of an import that created no account: see 0008-imports.ts. */
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

/** Deleted users whose rows are cleared in steps: see pending-deletion.ts. */
interface PendingDeletionsTable {
  user_id: number
  /** The import that hides the user's row. */
  import_id: number
}

/** How many rows stand from a place of an order up to the next one: see list-pages.ts. */
interface ListBlocksTable {
  id: Generated<number>
  list: string
  /** The place at which the block begins; the first one of a list begins before all rows. */
  key: string
  row_id: number
  /** Without the changes that `list_changes` holds. */
  total: number
}

/** Rows that have entered and left lists since the blocks were counted. Kept by triggers. */
interface ListChangesTable {
  id: Generated<number>
  list: string
  row_id: number
  name_key: string | null
  email_key: string | null
  /** 1 for a row that has entered, -1 for one that has left. */
  change: number
  /** 1 while they are added to the blocks, in that transaction alone. */
  taken: Generated<number>
}

/** A full-text index of SQLite, which triggers of `users` or `accounts` fill. */
interface UsersSearchTable {
  rowid: number
  text: string
}

/** Sessions that ended with all logins of their account, for a day. */
interface SessionEndsTable {
  id: string
  user_id: number
  ended_at: number
}

/** Why requests were refused, for a day: see explain/. */
interface RefusalsTable {
  /** The id of the request. */
  id: string
  at: number
  status: number
  /** The name of the error. */
  error: string
  method: string
  /** The pattern of the route; null if the path is unknown. */
  route: string | null
  code: string
  /** JSON. */
  facts: string
  scheme: string | null
  /** The caller, or the user of the account concerned. */
  subject: string | null
  address: string
  /** The address, or the /64 network of an IPv6 address. */
  network: string
}

interface SchemaVersionTable {
  version: number
  applied_at: number
  /** `expand` or `contract`; null for a migration before schema 24. */
  kind: Generated<string | null>
}

/** The migrations of external modules that have run. */
interface ModuleSchemasTable {
  room: string
  version: number
  applied_at: number
}

/** Where events are sent to. */
interface WebhookEndpointsTable {
  id: string
  /** JSON of the address and the secrets, under the data key. */
  sealed: string
  description: Generated<string>
  /** JSON list of the names of events; `*` at the end of one stands for any rest. */
  events: string
  /** `ids`: without what names a person. */
  content: 'ids' | 'full'
  /**
   * `failed`: disabled because it took nothing for days. `removed`: its deliveries are deleted in
   * steps, and then the row; nothing shows it.
   */
  state: 'enabled' | 'disabled' | 'failed' | 'removed'
  created_at: number
  updated_at: number
}

/** How an endpoint answers; without a row nothing was sent to it yet. */
interface WebhookHealthTable {
  endpoint: string
  /** Of the first failure since the last success. */
  failing_since: number | null
  succeeded_at: number | null
  /** The last status; null if there was no answer. */
  status: number | null
}

/** The outbox: events that are not yet spread over the endpoints. */
interface WebhookEventsTable {
  id: Generated<number>
  /** The `webhook-id`: the id of the record, or of the checkpoint. */
  message: string
  type: string
  /** Whose events keep their order: the pseudonym of the person; null: no person is known. */
  order_key: string | null
  /** The id of the user whom it concerns: it says who was erased, whose record does not open any more. */
  target_id: number | null
  /** The place of the record in the audit log; null for a checkpoint. */
  chain: string | null
  place: number | null
  /** The number of a checkpoint. */
  checkpoint: number | null
  at: number
  /** The last endpoint in the order of ids that has its delivery; null: none has. */
  spread_to: Generated<string | null>
}

/** A message to an endpoint. */
interface WebhookDeliveriesTable extends Omit<WebhookEventsTable, 'id' | 'spread_to'> {
  id: Generated<number>
  endpoint: string
  state: 'waiting' | 'delivered' | 'failed' | 'cancelled'
  attempts: Generated<number>
  due_at: number
  /** Of the last answer; null if there was none. */
  status: number | null
  /** Why the last attempt failed, in our words. */
  detail: string | null
  /** The last answer, under the key of the person; under the data key if there is none. */
  sealed: string | null
  created_at: number
  finished_at: number | null
}

/** When an endpoint has its turn, in which some of its deliveries are sent. */
interface WebhookQueuesTable {
  endpoint: string
  /** By how it has answered lately: the turns of each lane are limited apart. */
  lane: 'new' | 'quick' | 'slow' | 'failing'
  /** The next turn; null: nothing waits. While it has its turn: when another process may take it. */
  due_at: number | null
  /** The turn under way. */
  locked_by: string | null
  /** Turns in a row in which it took nothing. */
  failures: Generated<number>
  /** Nothing is sent before, also of what is added meanwhile. */
  paused_until: Generated<number>
  /** How often something was added to the queue, so that a turn that ends does not pass it over. */
  wakes: Generated<number>
}

/** Backups that the service made by itself. */
/** Verifications that were asked for over HTTP: see audit/verify/runs.ts. */
interface AuditVerificationsTable {
  id: Generated<number>
  state: 'waiting' | 'running' | 'done' | 'failed'
  asked_at: number
  started_at: number | null
  finished_at: number | null
  node: string
  /** The lease of the node that verifies; 0 while it waits. */
  locked_until: Generated<number>
  /** How many records were verified when the node last said so. */
  records: Generated<number>
  /** The report, as JSON. */
  result: string | null
  /** Why it failed. */
  detail: string | null
}

interface BackupRunsTable {
  id: Generated<number>
  started_at: number
  node: string
  /** `removed`: it was made, and its file was removed later, because newer ones were there. */
  state: 'waiting' | 'running' | 'done' | 'failed' | 'removed'
  /** The lease of the node that makes it, by the clock of the database; 0 while it waits. */
  locked_until: number
  file: string | null
  bytes: number | null
  sha256: string | null
  /** Why it failed. */
  detail: string | null
  finished_at: number | null
}

/** How often something happened in a minute or an hour: see statistics/series.ts. */
interface StatisticsBucketsTable {
  /** The length of the bucket, in seconds: 60 or 3,600. */
  step: number
  /** Its beginning, in epoch milliseconds, a multiple of the step. */
  at: number
  /** The name of the series and the values of its labels, with `|` between them. */
  series: string
  count: number
}

/** What is left to be done of erasures, for some minutes: see audit/erasure.ts. A row for each key. */
interface ErasuresTable {
  id: Generated<number>
  user_id: number
  /** The name of the key in records; null if the person had none. */
  pseudonym: string | null
  /** What the indexes of records hold until they are emptied. */
  actor_index: string | null
  target_index: string | null
  at: number
  /** When all records were cleared for the first time. */
  cleared_at: number | null
}

/** Rotations of the master key, finished or not. */
interface MasterKeyTurnsTable {
  id: string
  /** The short names of the two keys. */
  key_before: string
  key_next: string
  asked_at: number
  /** Null while it is only asked who knows the next key. */
  turned_at: number | null
}

/** What a process knows of the next master key of a rotation. */
interface MasterKeyNodesTable {
  turn: string
  /** Host and process. */
  instance: string
  /** 1: it knows the key. */
  knows: number
  at: number
}

/** A key that signed checkpoints before the master key was rotated. */
interface AuditCheckpointKeysTable {
  key_id: string
  /** Ed25519, `x` of RFC 8037. */
  public_key: string
  /** The id of the key after it. */
  successor: string
  /** The last checkpoint before the turn, 0 if there was none, and its digest. */
  number: number
  digest: string
  at: number
  /** Of this key, and of the one after it. */
  own_signature: string
  signature: string
}
