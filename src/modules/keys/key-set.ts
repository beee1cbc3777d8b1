import type { JWK } from 'jose'
import type { Config } from '../../core/config/load.ts'
import { derivedKey } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import { sharedAfterCall } from '../../core/lib/catch-up.ts'
import { type Clock, isoTime } from '../../core/lib/clock.ts'
import { accessAlgorithm } from './algorithm.ts'
import { type AuditKeys, auditKeysOf } from './audit-keys.ts'
import { keyRetired } from './events.ts'
import { createKeyAges } from './key-ages.ts'
import type { MasterKeyConfig } from './master-key.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'
import { createMasterRing, type MasterRing, notOpened } from './master-ring.ts'
import { type Added, createNewKeys, dataKeyAlgorithm } from './new-keys.ts'
import { openKeys, publishedMs, type TokenPurpose } from './opened-keys.ts'
import { assertReplaced, KeyNotReplaced, KeySigns } from './retirement.ts'
import { operatorKeys, type SigningAlgorithm, type SigningKey } from './signing-key.ts'
import { type KeyPurpose, keyStore, type SealedKey } from './store.ts'

/**
 * The key set: signing keys of access tokens, signing keys of refresh tokens, and the key that
 * encrypts stored secrets. All processes share the keys in the database, sealed under the master
 * key. A new key is published first and signs later: docs/adr/0035. Spec 5.3 rule 5.
 */
export interface KeySet {
  /** The key that signs access tokens now. */
  readonly current: SigningKey
  /**
   * Changes with the keys, also when a key expires: verified tokens must then be verified again.
   */
  readonly generation: number
  /**
   * The key to sign with, which every node knows. Waits at most two seconds, after a start that had
   * to make a key. @throws DatabaseUnavailable
   */
  signer(purpose: TokenPurpose): Promise<SigningKey>
  /** Adds the key of ID tokens, which only an installation with the provider has. */
  addIdentity(): Promise<void>
  /**
   * The key of a `kid` that verifies tokens of a type; the current key if a token has no `kid`;
   * undefined for a retired key. An unknown `kid` is looked up in the database at most once a
   * second.
   */
  find(
    kid: string | undefined,
    purpose?: TokenPurpose,
  ): SigningKey | undefined | Promise<SigningKey | undefined>
  /** The public keys as a JWK set; empty without an RS256 key. RFC 7517 section 5. */
  publicKeys(): { readonly keys: readonly JWK[] }
  /**
   * The current public keys of the database and their `max-age`. During a database outage, the keys
   * of the last ten minutes with `max-age` 0. @throws DatabaseUnavailable after ten minutes
   */
  published(): Promise<{ readonly keys: readonly JWK[]; readonly maxAgeSeconds: number }>
  /** The AES-256 key of secrets at rest. */
  readonly dataKey: Uint8Array
  readonly audit: AuditKeys
  readonly ring: Pick<MasterRing, 'ids' | 'mistakes' | 'reread' | 'version'>
  /**
   * Reads the keys again if another process changed the database.
   * @throws KeySetNotOpened if no known master key opens the keys; DatabaseUnavailable
   */
  refresh(): Promise<void>
  /** Like `refresh`; undefined if nothing has to be read. */
  refreshed(): Promise<void> | undefined
  /**
   * Replaces a key. The successor is published now and signs in ten minutes, or as soon as every
   * node knows it. The old key verifies until its last token has expired. @throws KeyNotReplaced
   */
  rotate(how?: RotateOptions): Promise<Rotated>
  /** Retires a replaced key early; false if no such key verifies. @throws KeySigns */
  retire(kid: string, guard?: Guard): Promise<boolean>
  /** The operator's keys, then all others, newest first; never key material. */
  list(): Promise<ListedKey[]>
  /** Replaces keys older than `KEY_ROTATION_DAYS`; true if a key was replaced. */
  rotateIfDue(): Promise<boolean>
}

export interface RotateOptions {
  /** Default: access tokens. */
  readonly purpose?: TokenPurpose
  readonly atOnce?: boolean
  readonly guard?: Guard | undefined
}

export interface Rotated extends Added {
  readonly before: string
}

export interface ListedKey {
  readonly id: string
  readonly purpose: KeyPurpose
  readonly algorithm: string
  /** Epoch milliseconds; null for a key of the operator. */
  readonly createdAt: number | null
  /** Null: at once. */
  readonly signsFrom: number | null
  readonly retiredAt: number | null
  readonly signs: boolean
  readonly canRetire: boolean
}

export interface KeySetDeps {
  readonly config: MasterKeyConfig & Pick<Config, 'token'>
  readonly db: Database
  readonly feed: Pick<ChangeFeed, 'isCurrent' | 'version' | 'useKey'>
  readonly clock: Clock
  readonly events: Events
  readonly random: Random
}

const refreshAlgorithm = 'HS256'
// OpenID Connect Core section 15.1, whatever signs access tokens.
const identityAlgorithm = 'RS256'
const lookUpAgainMs = 1000
const dayMs = 86_400_000
const maxAgeSeconds = publishedMs / 2000

export interface LoadKeySetOptions {
  /**
   * Whether to add a signing key if the key set lacks a key of the current algorithm. False for a
   * command, which can have other settings: the newest key decides the algorithm of the next start.
   */
  readonly mayAddSigner?: boolean
}

/**
 * Loads the key set and creates missing keys. @throws Error if the master key does not open the
 * keys
 */
export async function loadKeySet(
  deps: KeySetDeps,
  { mayAddSigner = true }: LoadKeySetOptions = {},
): Promise<KeySet> {
  const { config, db, feed, clock, events, random } = deps
  const { rotationDays } = config.token
  const stored = await keyStore(db).all()
  let closed: KeySetNotOpened | null = null
  let generation = 0
  const ring = createMasterRing({ config, random, mayCreate: stored.length === 0 })
  await assertOpened(stored) // before new keys are added
  const own = await operatorKeys(config)
  const algorithm = accessAlgorithm(config, stored)
  const isOperators = own.some((key) => key.algorithm === algorithm && key.signs)
  const algorithms = {
    signing: algorithm,
    refresh: refreshAlgorithm,
    identity: identityAlgorithm,
  } as const
  const generated: readonly ('signing' | 'refresh')[] = isOperators
    ? ['refresh']
    : ['signing', 'refresh']
  const newKeys = createNewKeys({ ...deps, ring })
  const mayLackSigner = !mayAddSigner && stored.length > 0
  const added = generated.filter((purpose) => purpose !== 'signing' || !mayLackSigner)
  await newKeys.addMissing({
    ...Object.fromEntries(added.map((purpose) => [purpose, algorithms[purpose]])),
    data: dataKeyAlgorithm,
  })
  const ages = createKeyAges(clock)
  const loaded = await keyStore(db).all()
  let keys = open(loaded)
  let keysPrint = printOf(loaded)
  let audit = auditKeysOf(ring.sealing(loaded), keys.dataKey)
  let ended = keys.ended(clock.now())
  let seenVersion = feed.version()
  let lookedAt = ages.passed()
  let confirmedAt = ages.passed()
  const catchUp = sharedAfterCall(read)
  feed.useKey?.(derivedKey(keys.dataKey, 'nodes'))

  return {
    get current() {
      return keys.current('signing', clock.now())
    },
    get generation() {
      const endedNow = keys.ended(clock.now())
      if (endedNow !== ended) generation += 1
      ended = endedNow
      return generation
    },
    get dataKey() {
      return keys.dataKey
    },
    get audit() {
      return audit
    },
    ring,

    async signer(purpose) {
      await refresh()
      const { key, waitMs } = keys.signer(purpose, clock.now())
      if (waitMs > 0) await clock.wait(waitMs)
      return key
    },

    async addIdentity() {
      await refresh()
      await newKeys.addMissing({ identity: identityAlgorithm })
      await read()
    },

    find(kid, purpose = 'signing') {
      const now = clock.now()
      if (closed) throw closed // a key may have been retired since
      if (kid === undefined) {
        return keys.canSign(purpose, now) ? keys.current(purpose, now) : undefined
      }
      const verifier = () => keys.verifier(kid, purpose, now)
      if (keys.has(kid)) return verifier()
      const mayBeNew = ages.passed() - lookedAt >= lookUpAgainMs || seenVersion !== feed.version()
      return mayBeNew ? read().then(verifier) : undefined
    },

    publicKeys: () => ({ keys: keys.jwks(clock.now()) }),

    async published() {
      let isConfirmed = true
      try {
        await refresh()
      } catch (error) {
        if (ages.passed() - confirmedAt >= publishedMs) throw error
        isConfirmed = false
      }
      return {
        keys: keys.jwks(clock.now()),
        maxAgeSeconds: isConfirmed ? maxAgeSeconds : 0,
      }
    },

    refresh,
    refreshed,

    async rotate({ purpose = 'signing', atOnce = false, guard } = {}) {
      if (purpose === 'signing' && isOperators)
        throw new KeyNotReplaced(operatorKeyMessage(algorithm))
      if (!keys.canSign(purpose, clock.now()))
        throw new KeyNotReplaced(
          purpose === 'identity' ? noIdentityMessage : noSignerMessage(algorithm),
        )
      const before = keys.current(purpose, clock.now()).kid
      const added = await newKeys.replace(purpose, algorithms[purpose], { atOnce, guard })
      await read()
      if (!added) throw new Error('the key was not replaced') // without `ifOlderThanMs` a key is always added
      return { ...added, before }
    },

    async retire(kid, guard) {
      const work = async (trx: DatabaseOrTransaction) => {
        const store = keyStore(trx)
        const present = await store.all()
        const key = present.find(({ id }) => id === kid)
        if (!key) return false // PostgreSQL rejects NUL, which a path may contain
        assertRetirable(key, present)
        if (!(await store.end(kid, clock.now()))) return false
        await events.emitInTransaction(trx, keyRetired, { kid })
        return true
      }
      const isRetired = await transact(db, [lockName.keys], work, guard)
      await read()
      return isRetired
    },

    async list() {
      const listed = await keyStore(db).all()
      const now = clock.now()
      const signers = new Set(
        (['signing', 'refresh', 'identity'] as const)
          .filter((purpose) => keys.canSign(purpose, now))
          .map((purpose) => keys.current(purpose, now).kid),
      )
      return [
        ...own.map(({ kid, algorithm: name }) => ({
          id: kid,
          purpose: 'signing' as const,
          algorithm: name,
          createdAt: null,
          signsFrom: null,
          retiredAt: null,
          signs: signers.has(kid),
          canRetire: false,
        })),
        ...listed.map((row) => {
          const { sealed: _, isOlder: __, ...key } = row
          return { ...key, signs: signers.has(key.id), canRetire: canRetire(row, listed) }
        }),
      ]
    },

    async rotateIfDue() {
      if (rotationDays === 0) return false
      const ifOlderThanMs = rotationDays * dayMs
      let isRotated = false
      for (const purpose of generatedNow()) {
        const added = await newKeys.replace(purpose, algorithms[purpose], { ifOlderThanMs })
        isRotated ||= added !== null
      }
      if (isRotated) await read()
      return isRotated
    },
  }

  function generatedNow(): readonly TokenPurpose[] {
    return keys.canSign('identity', clock.now()) ? [...generated, 'identity'] : generated
  }

  async function refresh(): Promise<void> {
    await refreshed()
  }

  function refreshed(): Promise<void> | undefined {
    if (!feed.isCurrent() || seenVersion !== feed.version()) return catchUp()
    confirmedAt = ages.passed()
    return undefined
  }

  async function read(): Promise<void> {
    const version = feed.version()
    lookedAt = ages.passed()
    const sealedKeys = await keyStore(db).all()
    const print = printOf(sealedKeys)
    if (print !== keysPrint) {
      await assertOpened(sealedKeys)
      keys = open(sealedKeys)
      audit = auditKeysOf(ring.sealing(sealedKeys), keys.dataKey)
      keysPrint = print
      generation += 1
    }
    closed = null
    seenVersion = version // after the read: a failed read is retried
    confirmedAt = lookedAt
  }

  /**
   * Reads the files again, and asserts that the master keys open all keys. @throws KeySetNotOpened
   */
  async function assertOpened(sealedKeys: readonly SealedKey[]): Promise<void> {
    const tryAll = () => {
      for (const key of sealedKeys) ring.open(key)
      ring.sealing(sealedKeys)
    }
    try {
      tryAll()
    } catch {
      ring.reread()
      try {
        tryAll()
      } catch {
        closed = new KeySetNotOpened(await whyNotOpened())
        generation += 1
        throw closed
      }
    }
  }

  async function whyNotOpened(): Promise<string> {
    const rotation = await masterKeyRotationStore(db).last()
    const known = ring.ids().join(' and ')
    if (!rotation?.turned_at) return `${notOpened} (this process knows ${known})`
    const at = isoTime(rotation.turned_at)
    return `${notOpened}: it was turned to ${rotation.key_next} at ${at}, and this process knows ${known}`
  }

  /** @throws KeySigns if the key may sign, or if the settings may differ from the service's */
  function assertRetirable(key: SealedKey, present: readonly SealedKey[]): void {
    const now = clock.now()
    if (key.purpose === 'signing' && !keys.canSign('signing', now)) {
      throw new KeySigns(noSignerMessage(algorithm))
    }
    if (isSigner(key)) assertReplaced(key, { present, ages, now })
  }

  function canRetire(key: SealedKey, present: readonly SealedKey[]): boolean {
    if (key.purpose === 'data') return false
    if (key.retiredAt !== null && key.retiredAt <= clock.now()) return false
    try {
      assertRetirable(key, present)
      return true
    } catch {
      return false
    }
  }

  /** Whether a key signs, or signed before it was replaced. */
  function isSigner(key: SealedKey): boolean {
    return generatedNow().some(
      (purpose) => key.purpose === purpose && key.algorithm === algorithms[purpose],
    )
  }

  function open(sealedKeys: readonly SealedKey[]) {
    const opened = sealedKeys.map((key) => ({ key, material: ring.open(key) }))
    ages.see(sealedKeys.map(({ id }) => id))
    return openKeys(opened, { algorithm, own, ages, config, mayLackSigner })
  }
}

/** A text that differs between two states of the key set. */
function printOf(keys: readonly SealedKey[]): string {
  // The seal begins with its nonce.
  return keys
    .map(({ id, retiredAt, sealed }) => `${id}:${retiredAt}:${sealed.slice(0, 16)}`)
    .join(' ')
}

const noIdentityMessage = 'no key signs ID tokens: the service makes it with PROVIDER=on'

function noSignerMessage(algorithm: SigningAlgorithm): string {
  return `no ${algorithm} key signs: is TOKEN_ALGORITHM right? The service makes such a key at its start`
}

function operatorKeyMessage(algorithm: SigningAlgorithm): string {
  return algorithm === 'HS256'
    ? 'TOKEN_SECRET signs: set a new one, and the old one as TOKEN_SECRET_PREVIOUS'
    : 'TOKEN_PRIVATE_KEY signs: it can only be replaced there'
}
