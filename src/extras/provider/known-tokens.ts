import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { KeptRows } from '../../core/database/kept-rows.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'
import type { StoredSession } from '../../modules/sessions/sessions.ts'
import { allowsToken, isAllowed, mayUse, usableAccount } from './account-claims.ts'
import { idOf } from './adapter.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { createSealing } from './storage.ts'
import { type Artifact, artifactStore } from './store.ts'

/** An opaque access token as it counts now. */
export interface LiveToken {
  readonly client: string
  readonly application: Application
  readonly claims: StoredClaims
  /** Null: the token of an application itself. */
  readonly account: Account | null
}

/** What the library has stored of a token. */
interface StoredClaims {
  /** Epoch seconds. */
  readonly exp: number
  readonly iat: number
  readonly jkt?: string
  readonly scope?: string
}

interface KnownToken extends Omit<LiveToken, 'application'> {
  readonly id: string
  readonly grantId: string | null
  readonly userId: number | null
  /** Null: the token does not end with a session. */
  readonly session: StoredSession | null
}

/** Null: no such token, or it has ended. */
export type KnownTokens = (text: string) => Promise<LiveToken | null>

export const accessKinds = ['AccessToken', 'ClientCredentials'] as const
/** The form of the opaque tokens, codes and refresh tokens of the library. */
export const opaque = /^[A-Za-z0-9_-]{43}$/

/**
 * Keeps opaque access tokens in memory, with their session and account: a program may ask about the
 * same token at each request of its own. A token that is refused from memory is read again.
 */
export function createKnownTokens(needs: ApplicationsNeeds): KnownTokens {
  const { clients, clock, db, feed, sessions } = needs
  const sealing = createSealing(needs)
  const known = new KeptRows<KnownToken>(feed, subjectsOfToken)

  return async (text) => {
    if (!opaque.test(text)) return null
    const kept = known.get(text)
    const live = kept && (await judged(kept))
    if (live) return live
    const token = await known.read(text, () => stored(text))
    return token && judged(token)
  }

  async function stored(text: string): Promise<KnownToken | null> {
    const row = await findToken(db, text, { kinds: accessKinds, now: clock.now() })
    if (!row) return null
    const { client, grantId, id, sessionId, userId } = row
    const claims = sealing.open(id, row.sealed) as unknown as StoredClaims // of the library
    const session = sessionId === null ? null : await sessions.stored(sessionId)
    const account = userId === null ? null : await usableAccount(needs, String(userId))
    const isWhole = (sessionId === null || session) && (userId === null || account)
    return isWhole ? { id, client, grantId, userId, session, account, claims } : null
  }

  async function judged(token: KnownToken): Promise<LiveToken | null> {
    const { account, claims, client, session } = token
    if (clock.now() >= claims.exp * 1000) return null
    if (session && !sessions.judgeStored(session)) return null
    const application = (await clients.find(client))?.application
    if (!application || !allowsToken(application, claims)) return null
    const isOpen = account === null || (mayUse(needs, account) && isAllowed(application, account))
    return isOpen ? { ...token, application } : null
  }
}

/** The row of a token of one of the kinds; null also for a text of another form. */
export async function findToken(
  db: DatabaseOrTransaction,
  text: string,
  { kinds, now }: { readonly kinds: readonly string[]; readonly now: number },
): Promise<Artifact | null> {
  if (!opaque.test(text)) return null
  const store = artifactStore(db)
  for (const kind of kinds) {
    const found = await store.byId(idOf(kind, text), now)
    if (found) return found
  }
  return null
}

/** Changes of these subjects drop the kept row: see migrations/0054-ends-of-application-tokens.ts. */
function subjectsOfToken({ grantId, id, session, userId }: KnownToken): string[] {
  return [
    `grant ${grantId ?? id}`,
    ...(session ? [`session ${session.id}`] : []),
    ...(userId === null ? [] : [`user ${userId}`]),
  ]
}
