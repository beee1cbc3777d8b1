import type { FastifyRequest } from 'fastify'
import { digest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { lockName } from '../../core/database/transactions.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Authenticated } from '../../core/http/changes/reauthorize.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Principal, rolesAmong } from '../../core/policy/principal.ts'
import { accountIn } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import { reasonOfUnmet } from '../authentication/requirements.ts'
import type { JudgedClaims } from '../tokens/revocations.ts'
import { isKeyText } from './key-text.ts'
import type { LastUsed } from './last-used.ts'
import { scopesIn } from './scopes.ts'
import { type KeyKind, keyStore, type StoredKey } from './store.ts'
import { createUnknownKeys } from './unknown-keys.ts'

/** Authenticates the text of a key. */
export interface KeyJudge {
  /**
   * Synchronous for a known key. `username`: what Basic sends beside an app password. @throws
   * ApiError authenticationRequired, tooManyLoginAttempts
   */
  authenticate(
    request: FastifyRequest,
    text: string,
    kind: KeyKind,
    username?: string | null,
  ): Authenticated | Promise<Authenticated>
  /** Why the key would be refused; null: accepted. */
  judge(
    text: string,
  ): Promise<{ readonly userId: number | null; readonly reason: RefusalReason | null }>
}

interface Known {
  readonly key: StoredKey
  readonly principal: Principal
  /** The log of revocations tells when the row must be read again. */
  readonly claims: JudgedClaims
}

const maxKnown = 10_000
/** The log keeps a version for a week. */
const knownForMs = 86_400_000

/** Named in the log of revocations when the key changes. */
export function revocationName({ id, version }: Pick<StoredKey, 'id' | 'version'>): string {
  return `key ${id} ${version}`
}

type JudgeNeeds = Pick<
  Needs,
  'clock' | 'config' | 'db' | 'modules' | 'requirements' | 'revocations'
>

export function createKeyJudge(
  deps: JudgeNeeds & { readonly lastUsed: Pick<LastUsed, 'note'> },
): KeyJudge {
  const { clock, config, db, lastUsed, modules, requirements, revocations } = deps
  const scopes = scopesIn(modules)
  const unknown = createUnknownKeys(clock, config.login.perAddress)
  const known = new BoundedMap<string, Known>(maxKnown)

  return {
    authenticate(request, text, kind, username) {
      if (!isKeyText(text)) throw refused({ code: 'key_malformed' })
      const name = digest(text)
      const found = known.get(name)
      const use = (one: Known) => {
        assertPlaced(one, kind, username)
        return used(name, one)
      }
      const readFirst = () => read(request, name).then(use)
      if (!found || clock.now() >= found.claims.iat * 1000 + knownForMs) return readFirst()
      const isStale = revocations.refuses(found.claims)
      if (isStale instanceof Promise)
        return isStale.then((stale) => (stale ? readFirst() : use(found)))
      return isStale ? readFirst() : use(found)
    },

    async judge(text) {
      if (!isKeyText(text)) return { userId: null, reason: { code: 'key_malformed' } }
      const found = await find(db, digest(text))
      if (!('key' in found)) return { userId: null, reason: found }
      return { userId: found.key.userId, reason: reasonOfEnd(found) }
    },
  }

  async function read(request: FastifyRequest, name: string): Promise<Known> {
    if (!known.get(name)) unknown.assertFew(request)
    const found = await find(db, name)
    if ('key' in found) {
      known.set(name, found)
      return found
    }
    known.delete(name)
    if (found.code === 'key_unknown') unknown.count(request)
    throw refused(found)
  }

  async function find(reader: DatabaseOrTransaction, name: string): Promise<Known | RefusalReason> {
    const readAt = clock.now()
    const key = await keyStore(reader).byDigest(name)
    const account = key && (await accountIn(reader, key.userId))
    if (!key || !account) return { code: 'key_unknown' }
    const unmet = requirements.unmet('key', { account })
    if (unmet) return reasonOfUnmet(unmet, 'key', { account })
    return { key, principal: principalOf(key, account), claims: claimsOf(key, account, readAt) }
  }

  function used(name: string, { key, principal, claims }: Known): Authenticated {
    const ended = reasonOfEnd({ key })
    if (ended) throw refused(ended)
    lastUsed.note(key.id)
    return {
      principal,
      lockNames: () => [lockName.account(key.userId), lockName.token(claims.jti)],
      async revalidate(reader) {
        if (reasonOfEnd({ key })) return null
        const isStale = reader.isTransaction
          ? revocations.refusesBy(reader, claims)
          : revocations.refuses(claims)
        if (!(await isStale)) return principal
        const now = await find(reader, name)
        // The locks are those of this version.
        return 'key' in now && now.key.version === key.version ? now.principal : null
      },
    }
  }

  function reasonOfEnd({ key }: Pick<Known, 'key'>): RefusalReason | null {
    const { expiresAt: expires_at, id: key_id, userId: user_id } = key
    if (clock.now() < expires_at) return null
    return { code: 'key_expired', facts: { user_id, key_id, expires_at } }
  }

  function principalOf(key: StoredKey, account: Account): Principal {
    const roles = key.roles.filter((role) => account.roles.includes(role))
    return {
      subject: String(account.userId),
      username: account.username,
      roles: new Set(rolesAmong(roles, config.roles)),
      credential: { scheme: 'key', keyId: key.id, kind: key.kind },
      amr: [], // a key states no login
      authTime: Number.NEGATIVE_INFINITY,
      scopes: new Set(scopes.covered(key.scopes)),
    }
  }
}

/** @throws ApiError authenticationRequired */
function assertPlaced({ key, principal }: Known, kind: KeyKind, username?: string | null): void {
  const isOfCaller = username === undefined || username === principal.username
  if (key.kind === kind && isOfCaller) return
  throw refused({ code: 'key_misplaced', facts: { user_id: key.userId, key_id: key.id } })
}

function claimsOf(key: StoredKey, account: Account, readAt: number): JudgedClaims {
  return {
    jti: revocationName(key),
    sub: String(account.userId),
    ver: account.accessVersion,
    iat: Math.floor(readAt / 1000),
  }
}

function refused(reason: RefusalReason): ApiError {
  return new ApiError('authenticationRequired', { reason })
}
