import type { Steps } from './ceremony-error.ts'

/** What the browser saw. WebAuthn level 3, section 5.8.1. */
export interface ClientData {
  readonly type?: unknown
  readonly challenge?: unknown
  readonly origin?: unknown
  readonly crossOrigin?: unknown
  readonly topOrigin?: unknown
  /** Of WebAuthn level 2. */
  readonly tokenBinding?: unknown
}

export interface Expected {
  /** Whether the base64url text is a challenge of this ceremony. */
  isChallenge(text: string): boolean
  /** Compared exactly: of the service, and its related origins. */
  readonly origins: readonly string[]
  readonly rpIdHash: Uint8Array
}

const decoder = new TextDecoder('utf-8', { fatal: true }) // removes a BOM, as section 7 asks

/** @throws Error */
export function readClientData(bytes: Uint8Array): ClientData {
  const data: unknown = JSON.parse(decoder.decode(bytes))
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new Error('client data: no object')
  }
  return data
}

type Ceremony = 'webauthn.create' | 'webauthn.get'

export interface ClientFacts {
  readonly client: ClientData
  readonly expected: Expected
}

/** Our pages are never in a frame of another site: `crossOrigin` and `topOrigin` are refused. */
export function clientSteps(type: Ceremony): Steps<ClientFacts> {
  return [
    ['type', ({ client }) => client.type === type],
    [
      'challenge',
      ({ client, expected }) =>
        typeof client.challenge === 'string' && expected.isChallenge(client.challenge),
    ],
    [
      'origin',
      ({ client, expected }) => expected.origins.some((origin) => origin === client.origin),
    ],
    ['cross_origin', ({ client: { crossOrigin = false } }) => crossOrigin === false],
    ['top_origin', ({ client: { topOrigin } }) => topOrigin === undefined],
    ['token_binding', ({ client: { tokenBinding } }) => isUnusedBinding(tokenBinding)],
  ]
}

function isUnusedBinding(binding: unknown): boolean {
  if (binding === undefined) return true
  if (typeof binding !== 'object' || binding === null) return false
  const { status } = binding as { readonly status?: unknown }
  return status === 'supported' || status === 'not-supported'
}
