import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Needs } from '../../core/module/services.ts'
import type { RoleName } from '../../core/policy/principal.ts'
import { accountIn } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import { keyNotFound } from '../keys/problems.ts'
import { keyCreated, keyRevoked, keyRotated, keysEnded } from './events.ts'
import { revocationName } from './judge.ts'
import { createKeyText, isKeyText } from './key-text.ts'
import { tooManyKeys } from './problems.ts'
import { type KeyKind, keyStore, type NewKey, type StoredKey } from './store.ts'

/** The keys of accounts; `judge.ts` authenticates them. */
export interface ApiKeys {
  /** Oldest first; expired ones stay for a month. */
  of(userId: number, kind?: KeyKind): Promise<StoredKey[]>
  /** @throws ApiError keyNotFound */
  find(found: Found): Promise<StoredKey>
  /** @throws ApiError tooManyKeys */
  create(account: Pick<Account, 'userId'>, wanted: WantedKey, options: By): Promise<MadeKey>
  /** @throws ApiError keyNotFound */
  rotate(found: Found, overlapSeconds: number, options: By): Promise<MadeKey>
  /** @throws ApiError keyNotFound */
  revoke(
    found: Found,
    options: { readonly guard?: Guard | undefined; reason: Reason },
  ): Promise<void>
  /** For a caller who knows the key. An unknown key changes nothing. */
  revokeText(text: string): Promise<void>
}

export interface WantedKey {
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly string[]
  readonly roles: readonly RoleName[]
  readonly expiresInDays: number
}

export interface Found {
  readonly userId: number
  readonly id: string
  readonly kind?: KeyKind | undefined
}

export interface By {
  readonly guard?: Guard | undefined
  /** Null on the command line. */
  readonly by: number | null
}

export interface MadeKey {
  readonly text: string
  readonly key: StoredKey
}

type Reason = 'administrator' | 'operator' | 'owner' | 'key'

export const defaultDays = 90
export const defaultOverlapSeconds = 86_400
export const maxKeys = 100
const dayMs = 86_400_000
const maxAttempts = 5
/** How long the log of revocations keeps the change: longer than `judge.ts` keeps a row. */
const loggedMs = 7 * dayMs
const keptMs = 30 * dayMs
const endedToldMs = 30 * dayMs

export function createApiKeys({
  clock,
  db,
  events,
  random,
  revocations,
}: Pick<Needs, 'clock' | 'db' | 'events' | 'random' | 'revocations'>): ApiKeys {
  const keys: ApiKeys = {
    of: (userId, kind) => keyStore(db).of(userId, kind),
    find,

    async create({ userId }, { expiresInDays, ...wanted }, { guard, by }) {
      const { text, key } = newKey({ ...wanted, userId, createdBy: by }, expiresInDays * dayMs)
      const work = async (trx: DatabaseOrTransaction) => {
        if (!(await accountIn(trx, userId))) throw goneMeanwhile('accountNotFound')
        await assertRoom(trx, userId)
        await keyStore(trx).insert(key)
        await events.emitInTransaction(trx, keyCreated, { ...fieldsOf(key), scopes: key.scopes })
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return { text, key: storedOf(key) }
    },

    async rotate(found, overlapSeconds, { guard, by }) {
      const before = await find(found)
      const now = clock.now()
      if (before.expiresAt <= now) throw notFound(found)
      const { kind, name, scopes, roles, userId, createdAt, expiresAt } = before
      const wanted = { kind, name, scopes, roles, userId, createdBy: by }
      const { text, key } = newKey(wanted, expiresAt - createdAt)
      let isMade = false
      const also = async (trx: DatabaseOrTransaction) => {
        const store = keyStore(trx)
        const until = Math.min(expiresAt, now + overlapSeconds * 1000)
        const isChanged =
          overlapSeconds === 0
            ? await store.remove(before)
            : await store.shorten(before, until, now)
        if (!isChanged) throw notFound(found)
        await assertRoom(trx, userId)
        await store.insert(key)
        await events.emitInTransaction(trx, keyRotated, { ...fieldsOf(before), next_id: key.id })
        isMade = true
      }
      await change(before, guard, also)
      if (!isMade) throw notFound(found) // another request has changed the key
      return { text, key: storedOf(key) }
    },

    async revoke(found, { guard, reason }) {
      await removeAsRead(() => find(found), reason, guard)
    },

    async revokeText(text) {
      if (!isKeyText(text)) return
      await removeAsRead(() => keyStore(db).byDigest(digest(text)), 'key')
    },
  }
  return keys

  /** An entry in the log of revocations makes all nodes reload the key. */
  function change(
    key: StoredKey,
    guard: Guard | undefined,
    also: (trx: DatabaseOrTransaction) => Promise<void>,
  ): Promise<void> {
    const exp = Math.ceil((clock.now() + loggedMs) / 1000)
    return revocations.revoke({ jti: revocationName(key), exp }, { guard, also })
  }

  /**
   * Repeated for a key that was rotated after it was read: the log must name the version that other
   * nodes know.
   */
  async function removeAsRead(
    read: () => Promise<StoredKey | null>,
    reason: Reason,
    guard?: Guard,
  ): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const key = await read()
      if (!key) return
      let isRemoved = false
      await change(key, guard, async (trx) => {
        isRemoved = await keyStore(trx).remove(key)
        if (isRemoved) await events.emitInTransaction(trx, keyRevoked, { ...fieldsOf(key), reason })
      })
      if (isRemoved) return
      if (attempt === maxAttempts) throw notFound(key)
    }
  }

  async function find(found: Found): Promise<StoredKey> {
    const all = await keyStore(db).of(found.userId, found.kind)
    const key = all.find(({ id }) => id === found.id)
    if (!key) throw notFound(found)
    return key
  }

  function newKey(
    wanted: Omit<NewKey, 'id' | 'digest' | 'createdAt' | 'expiresAt'>,
    lifeMs: number,
  ) {
    const text = createKeyText(random)
    const createdAt = clock.now()
    const key: NewKey = {
      ...wanted,
      id: randomText(random, 12),
      digest: digest(text),
      createdAt,
      expiresAt: createdAt + lifeMs,
    }
    return { text, key }
  }
}

/** In the transaction that ends the keys of an account. */
export async function endKeysOf(
  trx: DatabaseOrTransaction,
  events: Pick<Needs['events'], 'emitInTransaction'>,
  userId: number,
): Promise<void> {
  const count = await keyStore(trx).removeOf(userId)
  if (count > 0) await events.emitInTransaction(trx, keysEnded, { user_id: userId, count })
}

export function purgeKeys(
  { asyncCommitDb, clock }: Pick<Needs, 'asyncCommitDb' | 'clock'>,
  batchSize: number,
): Promise<number> {
  return keyStore(asyncCommitDb).purge(clock.now() - keptMs, batchSize)
}

/** The doctor names the persons whose app passwords a restore has ended for 30 days. */
export function purgeEnded(
  { asyncCommitDb, clock }: Pick<Needs, 'asyncCommitDb' | 'clock'>,
  batchSize: number,
): Promise<number> {
  return keyStore(asyncCommitDb).purgeEnded(clock.now() - endedToldMs, batchSize)
}

async function assertRoom(trx: DatabaseOrTransaction, userId: number): Promise<void> {
  const { length } = await keyStore(trx).of(userId)
  if (length < maxKeys) return
  const facts = { user_id: userId, max: maxKeys }
  throw new ApiError(tooManyKeys, { reason: { code: 'too_many_keys', facts } })
}

function fieldsOf({ userId, id, kind }: Pick<StoredKey, 'userId' | 'id' | 'kind'>) {
  return { user_id: userId, key_id: id, kind }
}

function storedOf({ digest: _, ...key }: NewKey): StoredKey {
  return { ...key, version: 1, lastUsedAt: null }
}

function notFound({ userId }: Pick<Found, 'userId'>): ApiError {
  return new ApiError(keyNotFound, {
    reason: { code: 'no_such_api_key', facts: { user_id: userId } },
  })
}
