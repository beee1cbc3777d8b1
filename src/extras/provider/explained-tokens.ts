import type { RefusalReason } from '../../core/errors.ts'
import { accountIn } from '../../modules/accounts/accounts.ts'
import { reasonOfUnmet } from '../../modules/authentication/requirements.ts'
import type { ExplainedToken } from '../../modules/tokens/other-tokens.ts'
import { allowsToken, isAllowed, sessionFacts } from './account-claims.ts'
import { grantIdOf, idOf } from './adapter.ts'
import type { ApiToken, ApplicationTokens } from './application-tokens.ts'
import { findToken, opaque } from './known-tokens.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { invalidGrant, invalidToken } from './problems.ts'
import { createSealing } from './storage.ts'
import { type Artifact, artifactStore } from './store.ts'

const kinds = {
  AccessToken: 'access token of an application',
  ClientCredentials: 'access token of an application',
  RefreshToken: 'refresh token of an application',
  AuthorizationCode: 'code of an application',
} as const

const ended = { code: 'application_token_ended' } as const

/** Why a token of an application counts or not, in the order of its use. Changes nothing. */
export function createExplainedTokens(
  needs: ApplicationsNeeds,
  { claimsOf }: Pick<ApplicationTokens, 'claimsOf'>,
): (text: string) => Promise<ExplainedToken | null> {
  const { clients, clock, config, db, requirements, sessions } = needs
  const sealing = createSealing(needs)
  const graceMs = config.token.refreshGraceSeconds * 1000

  return async (text) => {
    if (!config.provider.isOn) return null
    if (opaque.test(text)) return explainOpaque(text)
    const token = await claimsOf(text)
    return token && explainJwt(token)
  }

  async function explainOpaque(text: string): Promise<ExplainedToken> {
    const row = await findToken(db, text, { kinds: Object.keys(kinds), now: clock.now() })
    if (row) return explainRow(kinds[row.kind as keyof typeof kinds], row)
    const unknown = { of: 'token of an application', subject: null, facts: {} }
    return { ...unknown, error: invalidToken, reason: ended }
  }

  async function explainRow(of: ExplainedToken['of'], row: Artifact): Promise<ExplainedToken> {
    const { client, consumedAt, expiresAt: expires_at, sessionId, userId } = row
    // As the library writes it.
    const stored = sealing.open(row.id, row.sealed) as { scope?: string; amr?: string[] }
    const { scope } = stored
    const isAccess = of === kinds.AccessToken
    const facts = { client, scopes: scope?.split(' ') ?? [], expires_at }
    const shown = { of, facts, error: isAccess ? invalidToken : invalidGrant }
    const subject = userId === null ? `client:${client}` : String(userId)
    const isForgiven = row.kind === 'RefreshToken' && clock.now() < (consumedAt ?? 0) + graceMs
    const isUsed = consumedAt !== null && !isForgiven
    const reason = isUsed
      ? ({ code: 'application_grant_used' } as const)
      : ((await refusing(client, userId, sessionId)) ?? (await changedEntry(client, stored)))
    return { ...shown, subject, reason }
  }

  async function changedEntry(
    client: string,
    stored: Parameters<typeof allowsToken>[1],
  ): Promise<RefusalReason | null> {
    const application = (await clients.find(client))?.application
    if (application && allowsToken(application, stored)) return null
    return { code: 'application_entry_changed', facts: { client } }
  }

  async function explainJwt(token: ApiToken): Promise<ExplainedToken> {
    const { client_id: client, cnf, exp, grant, scope, sid, sub } = token
    const facts = { client, scopes: scope.split(' ').filter(Boolean), expires_at: exp * 1000 }
    const shown = {
      of: kinds.AccessToken,
      subject: sub,
      facts,
      error: 'invalidOrExpiredToken' as const,
    }
    return { ...shown, reason: await reasonOf() }

    async function reasonOf(): Promise<RefusalReason | null> {
      const now = clock.now()
      if (now >= exp * 1000) return ended
      if (cnf) return { code: 'application_token_bound' }
      const isOpen = (await clients.find(client))?.application?.resource != null
      if (!isOpen) return { code: 'application_unknown', facts: { client } }
      if (sub === `client:${client}`) return null
      const store = artifactStore(db)
      const granted = grant === undefined ? null : await store.byId(grantIdOf(grant), now)
      if (granted?.client !== client || String(granted.userId) !== sub) return ended
      const session = sid === undefined ? null : await store.byUid(idOf('Session uid', sid), now)
      if (sid !== undefined && !session?.sessionId) return { code: 'application_login_ended' }
      return refusing(client, granted.userId, session?.sessionId ?? null)
    }
  }

  async function refusing(
    client: string,
    userId: number | null,
    sessionId: string | null,
  ): Promise<RefusalReason | null> {
    const application = (await clients.find(client))?.application
    if (!application) return { code: 'application_unknown', facts: { client } }
    if (userId === null) return null
    const account = await accountIn(db, userId)
    if (!account) return ended
    const unmet = requirements.unmet('session', sessionFacts(account))
    if (unmet?.cell === 'unauthenticated') return reasonOfUnmet(unmet, 'session', { account })
    if (sessionId !== null && !(await sessions.judge(sessionId))) {
      return { code: 'application_login_ended' }
    }
    if (isAllowed(application, account)) return null
    const roles = application.allow ?? []
    return { code: 'application_role_missing', facts: { client, roles } }
  }
}
