import type { FastifyRequest } from 'fastify'
import { digest } from '../../core/crypto/digest.ts'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import type { Authenticator } from '../../core/http/routes/declaration.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Needs } from '../../core/module/services.ts'
import type { ExternalClaims, Principal } from '../../core/policy/principal.ts'
import { accountIn } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import { bearerToken } from '../tokens/authenticator.ts'
import { faultOfTimes, isWithinLifetime } from '../tokens/claim-faults.ts'
import { endOf } from '../tokens/end-token.ts'
import type { JudgedToken } from '../tokens/judge-token.ts'
import { parseObject, type TellReason, verifyJws } from '../tokens/jws.ts'
import type { JudgedClaims } from '../tokens/revocations.ts'
import { parseExternalClaims } from './claims.ts'
import { linkedUser } from './identities.ts'
import { providerFailed } from './problems.ts'
import { deadline, type Provider, within } from './provider.ts'

const maxKept = 10_000

interface Verified {
  readonly claims: ExternalClaims
  readonly provider: Provider
  /** Of the keys that verified the token. */
  readonly generation: number
}

export interface ExternalBearer {
  /** Accepts tokens of providers in addition to the service's own tokens. */
  beside(own: Authenticator): Authenticator
  /** Why a request with the token would be rejected. Null if no provider issues the token. */
  judge(token: string): Promise<JudgedToken | null>
  /** For POST /logout; false if the request has no such token. */
  end(request: FastifyRequest): Promise<boolean>
}

export function externalBearer(
  deps: Pick<
    Needs,
    'clock' | 'events' | 'identities' | 'providers' | 'requirements' | 'revocations'
  >,
): ExternalBearer {
  const { clock, identities, providers, requirements, revocations } = deps
  const verified = new BoundedMap<string, Verified>(maxKept)
  const isOn = providers.all.some(({ config }) => config.audience !== null)

  return {
    beside: (own) =>
      !isOn
        ? own
        : {
            ...own,
            errors: [...(own.errors ?? []), providerFailed],
            async authenticate(request) {
              const token = bearerToken(request)
              const provider = token === null ? undefined : issuerOf(token)
              if (token === null || !provider) return own.authenticate(request)
              let reason: RefusalReason = { code: 'token_malformed' }
              const claims = await claimsOf(token, provider, (told) => {
                reason = told
              })
              if (!claims) throw new ApiError('invalidOrExpiredToken', { reason })
              const judged = judgedClaims(claims)
              if (await revocations.refuses(judged)) {
                const revoked = revocations.reasonOf(judged)
                throw new ApiError('invalidOrExpiredToken', { reason: revoked })
              }
              return callerOf(claims)
            },
          },

    async judge(token) {
      const provider = isOn ? issuerOf(token) : undefined
      if (!provider) return null
      let reason: RefusalReason = { code: 'token_malformed' }
      const claims = await claimsOf(token, provider, (told) => {
        reason = told
      })
      if (!claims) return { subject: null, reason }
      const judged = judgedClaims(claims)
      const subject = subjectOf(claims)
      if (await revocations.refuses(judged)) {
        return { subject, reason: revocations.reasonOf(judged) }
      }
      const account = await identities.accountOf({ issuer: claims.iss, subject: claims.sub })
      const principal = principalOf(claims, account)
      if (principal) return { subject: principal.subject, reason: null }
      return { subject, reason: unusable(account) }
    },

    async end(request) {
      const token = isOn ? bearerToken(request) : null
      const provider = token === null ? undefined : issuerOf(token)
      const claims = token !== null && provider && (await claimsOf(token, provider))
      if (claims) await revocations.revoke(claims, endOf(deps, { reason: 'logout' }))
      return Boolean(claims)
    },
  }

  /** By the unverified `iss`. */
  function issuerOf(token: string): Provider | undefined {
    const known = verified.get(token)
    if (known) return known.provider
    const payload = parseObject(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url'))
    const provider = providers.issuing(payload?.iss)
    return provider?.config.audience === null ? undefined : provider
  }

  async function claimsOf(
    token: string,
    provider: Provider,
    tell?: TellReason,
  ): Promise<ExternalClaims | null> {
    const { allowedRoles, audience, client, issuer, rolesClaim } = provider.config
    provider.keys.keepFresh()
    const known = verified.get(token)
    if (known && known.generation === provider.keys.generation) {
      const fault = faultOfTimes(known.claims, clock.now())
      if (fault) tell?.(fault)
      return fault ? null : known.claims
    }
    const limit = deadline()
    const jws = await verifyJws(
      token,
      (kid, { alg }) => within(limit, provider.keys.find(kid, alg)),
      tell,
    )
    const raw = jws && parseObject(jws.payload)
    if (jws && !raw) tell?.({ code: 'token_payload_malformed' })
    const expected = {
      issuer,
      audience: audience ?? '',
      clientId: client?.id,
      rolesClaim,
      allowedRoles,
      digest: digest(signedPart(token)),
    }
    const claims = raw && parseExternalClaims(raw, jws.header, expected, clock.now(), tell)
    if (claims) verified.set(token, { claims, provider, generation: provider.keys.generation })
    else verified.delete(token)
    return claims
  }

  /** @throws ApiError invalidOrExpiredToken if the linked account is locked or disabled */
  async function callerOf(claims: ExternalClaims): Promise<Authenticated> {
    const linked = { issuer: claims.iss, subject: claims.sub }
    const account = await identities.accountOf(linked)
    const principal = principalOf(claims, account)
    if (!principal) {
      throw new ApiError('invalidOrExpiredToken', { reason: unusable(account) })
    }
    return {
      principal,
      lockNames: () => [
        lockName.token(claims.jti),
        ...(account ? [lockName.account(account.userId)] : []),
      ],
      async revalidate(db) {
        if (!isWithinLifetime(claims, clock.now())) return null
        if (await revocations.refusesBy(db, judgedClaims(claims))) return null
        const userId = await linkedUser(db, linked)
        return principalOf(claims, userId === null ? null : await accountIn(db, userId))
      },
    }
  }

  /** Null if locked or disabled. */
  function principalOf(claims: ExternalClaims, account: Account | null): Principal | null {
    const { sub, roles, auth_time, client_id, scopes, username = sub } = claims
    const caller = {
      subject: subjectOf(claims),
      username,
      roles: new Set(roles),
      credential: { scheme: 'external', claims },
      // Unknown without the claim.
      authTime: auth_time === undefined ? Number.NEGATIVE_INFINITY : auth_time * 1000,
      amr: claims.amr ?? ['fed'],
      ...(client_id !== undefined && { client: client_id }),
      // The token belongs to a client, limited by its scopes.
      scopes: new Set(scopes),
    } as const
    if (!account) return caller
    const unmet = requirements.unmet('external', { account })
    // Like Basic, a token cannot prove a second factor or set a password, so it does not act for
    // the account. The caller keeps the provider's roles.
    if (unmet?.cell === 'anonymous') return caller
    if (unmet) return null
    return { ...caller, subject: String(account.userId), username: account.username }
  }
}

function unusable(account: Account | null): RefusalReason {
  return { code: 'external_account_unusable', facts: { user_id: account?.userId ?? null } }
}

/** Never a user's id: an issuer is a URL, without `#`. */
function subjectOf({ iss, sub }: Pick<ExternalClaims, 'iss' | 'sub'>): string {
  return `${iss}#${sub}`
}

/** Only own tokens have versions. */
function judgedClaims({ jti, iss, sub }: ExternalClaims): JudgedClaims {
  return { jti, sub: subjectOf({ iss, sub }), ver: Infinity, iat: Infinity }
}

/** Anyone can derive a second valid ECDSA signature. */
function signedPart(token: string): string {
  return token.slice(0, token.lastIndexOf('.'))
}
