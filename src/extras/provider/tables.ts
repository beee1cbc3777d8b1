import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'provider_artifacts',
    key: ['id'],
    isLogin: true, // a backup may be older than the end of a token
    person: {
      column: 'user_id',
      onDelete: 'delete',
      excluded: 'codes and tokens of applications; the applications are listed',
    },
    sealed: ['sealed'],
    namesPerson: {
      columns: ['sealed', 'address'],
      atErasure: 'the row goes; one without an account within ten minutes',
    },
    namesNone: ['id', 'kind', 'client', 'session_id', 'grant_id', 'uid'],
  },
  {
    name: 'provider_consents',
    key: ['user_id', 'client'],
    isLogin: true, // a backup may be older than the withdrawal
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['client', 'scopes'],
  },
  {
    name: 'provider_logins',
    key: [],
    leftOut: 'it is about sessions, which a copy in another place does not continue',
    namesNone: ['sid', 'client', 'session_id', 'locked_by'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    provider_artifacts: ArtifactsTable
    provider_consents: ConsentsTable
    provider_logins: LoginsTable
  }
}

/** What the protocol stores: sessions of applications, grants, codes, tokens, pushed requests. */
interface ArtifactsTable {
  /** Digest of the kind and the secret. */
  id: string
  kind: string
  /** Empty for a session. */
  client: string
  /** Null for a program, and for a request before a sign-in. */
  user_id: number | null
  /** The row ends with this session of ours. */
  session_id: string | null
  /** Digest: a grant ends with all that came of it. */
  grant_id: string | null
  /** Digest of the second name of a session. */
  uid: string | null
  /** Whom a limit counts; empty for what needs no limit. */
  address: string
  /** Encrypted under the data key. */
  sealed: string
  /** Epoch milliseconds; null: not used yet. */
  consumed_at: number | null
  expires_at: number
}

/** What a person lets an application have. */
interface ConsentsTable {
  user_id: number
  client: string
  /** Joined by spaces. */
  scopes: string
  given_at: number
}

/** Applications that want to know of the end of a session. */
interface LoginsTable {
  /** As in the ID tokens. */
  sid: string
  client: string
  session_id: string
  attempts: number
  /** Null: the session lives. */
  due_at: number | null
  locked_by: string | null
  created_at: number
}
