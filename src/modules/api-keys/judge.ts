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
import type { JudgedToken } from '../tokens/judge-token.ts'
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
  /** Why a request with the key would be refused, whatever its route. */
  judge(text: string): Promise<JudgedToken>
}

interface Known {
  /** The digest under which the key is stored. */
  readonly name: string
  readonly key: StoredKey
  readonly principal: Principal
  /** By the log of revocations the process knows when to reload the row. */
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
  /** By the whole text: a known key costs neither checksum nor digest. */
  const known = new BoundedMap<string, Known>(maxKnown)

  return {
    authenticate(request, text, kind, username) {
      const found = known.get(text)
      const readFirst = () => read(request, text).then((one) => used(one, kind, username))
      if (!found || clock.now() >= found.claims.iat * 1000 + knownForMs) return readFirst()
      const isStale = revocations.refuses(found.claims)
      if (isStale instanceof Promise) {
        return isStale.then((stale) => (stale ? readFirst() : used(found, kind, username)))
      }
      return isStale ? readFirst() : used(found, kind, username)
    },

    async judge(text) {
      if (!isKeyText(text)) return { subject: null, reason: { code: 'key_malformed' } }
      const found = await find(db, digest(text))
      if (!('key' in found)) return { subject: null, reason: found }
      return { subject: found.principal.subject, reason: reasonOfEnd(found) }
    },
  }

  async function read(request: FastifyRequest, text: string): Promise<Known> {
    if (!isKeyText(text)) throw refused({ code: 'key_malformed' })
    if (!known.get(text)) unknown.assertFew(request)
    const found = await find(db, digest(text))
    if ('key' in found) {
      known.set(text, found)
      return found
    }
    known.delete(text)
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
    const [principal, claims] = [principalOf(key, account), claimsOf(key, account, readAt)]
    return { name, key, principal, claims }
  }

  function used(one: Known, kind: KeyKind, username?: string | null): Authenticated {
    const { name, key, principal, claims } = one
    assertPlaced(one, kind, username)
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
        // The locks belong to this version.
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
