import type { ApiDocument } from '../../test/openapi/operations.ts'
import type { Sent } from './sockets.ts'
import type { Concrete } from './twists.ts'

export interface How {
  readonly twist: string
  readonly isInjected: boolean
  readonly hangMs: number
}

/** A running service, new and empty but for its first administrator. */
export interface FuzzedService {
  readonly document: ApiDocument
  readonly keeper: { readonly username: string; readonly password: string }
  /** Secrets of its settings. */
  readonly secrets: readonly string[]
  readonly client: { readonly id: string; readonly secret: string }
  /** Epoch milliseconds, by its clock. */
  now(): number
  send(request: Concrete, how: How): Promise<Sent>
  takeLog(): string[]
  /** Reads every table as text, whatever tables there are. */
  tables(): Promise<ReadonlyMap<string, string>>
  /** How the process ended; null while it runs. */
  ended(): string | null
  close(): Promise<void>
}

/** Settings that let a caller at one address do as much as the run asks for. */
export const settingsOfRuns = {
  NODE_ENV: 'test',
  TRUST_PROXY: '127.0.0.1', // so that each request can come from an address of its own
  RATE_LIMIT_MAX: '60',
  LOGIN_PROOF_OF_WORK_AFTER: '3',
  CORS_ORIGINS: 'https://app.example.org',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_AUTHORIZATION_ENDPOINT: 'http://127.0.0.1:9/authorize',
  OIDC_TOKEN_ENDPOINT: 'http://127.0.0.1:9/token',
  OIDC_JWKS_URI: 'http://127.0.0.1:9/jwks',
} as const
