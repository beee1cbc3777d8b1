import type { JWK } from 'jose'
import type { Config } from '../config/load.ts'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../database/database.ts'
import { lockName, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { keyRetired, keyRotated } from './events.ts'
import { loadMasterKey } from './master-key.ts'
import { openKey, sealKey } from './sealed-key.ts'
import {
  generateMaterial,
  operatorKeys,
  publicJwk,
  type SigningAlgorithm,
  type SigningKey,
  signingKey,
} from './signing-key.ts'
import { keyStore, type SealedKey } from './store.ts'

/**
 * The key set: keys that sign and verify tokens, and a separate key that encrypts stored secrets.
 * The database holds it, sealed under the master key, so that all processes share it. Spec 5.3 rule
 * 5.
 */
export interface KeySet {
  /** The key that signs new tokens. */
  readonly current: SigningKey
  /**
   * A number that changes with the keys: a token that was verified before must be verified again.
   */
  readonly generation: number
  /**
   * Answers the key of a `kid`, the current one if a token names none, undefined once it is
   * retired. An unknown `kid` is looked up in the database, at most once a second.
   */
  find(kid: string | undefined): Promise<SigningKey | undefined>
  /** The public keys as a JWK set; empty unless there is an RS256 key. RFC 7517 section 5. */
  publicKeys(): { readonly keys: readonly JWK[] }
  /** The AES-256 key of secrets at rest. */
  readonly dataKey: Uint8Array
  /** Reads the keys again if another process has changed the database. */
  refresh(): Promise<void>
  /** Replaces the current key. The old one verifies until the last of its tokens has expired. */
  rotate(): Promise<void>
  /** Retires a replaced key before its time; answers false if no such key verifies. */
  retire(kid: string): Promise<boolean>
  /** Lists the operator's keys, then all others, the newest first; never their material. */
  list(): Promise<ListedKey[]>
  /** Rotates if the current key is older than `KEY_ROTATION_DAYS`. */
  rotateIfDue(): Promise<boolean>
}

export interface ListedKey {
  readonly id: string
  readonly purpose: SealedKey['purpose']
  readonly algorithm: string
  /** Epoch milliseconds; null for a key that the operator has configured. */
  readonly createdAt: number | null
  readonly retiredAt: number | null
  readonly signs: boolean
}

export interface KeySetDeps {
  readonly config: Pick<Config, 'masterKey' | 'database' | 'token'>
  readonly db: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly events: Events
  readonly random: Random
}

const dataKeyAlgorithm = 'A256GCM'
const dataKeyBytes = 32
const lookUpAgainMs = 1000
const dayMs = 86_400_000
// Added to the longest life of a token: clocks of nodes differ, and a token may be being signed
// now.
const overlapMarginMs = 60_000

/** Loads the key set and creates missing keys. @throws Error if the master key does not open it */
export async function loadKeySet(deps: KeySetDeps): Promise<KeySet> {
  const { config, db, feed, clock, events, random } = deps
  const { algorithm, rotationDays } = config.token
  const stored = await keyStore(db).all()
  const masterKey = loadMasterKey({ config, random, mayCreate: stored.length === 0 })
  for (const key of stored) openKey(masterKey, key) // before new keys are added to them
  const own = await operatorKeys(config)
  const signer = own.find((key) => key.algorithm === algorithm && key.signs)
  if (!signer) await addSigningKey({ replacing: false })
  await addDataKey()
  const loaded = await keyStore(db).all()
  let keys = open(loaded)
  let keysPrint = printOf(loaded)
  let generation = 0
  let seenVersion = feed.version()
  let lookedAt = clock.now()

  return {
    get current() {
      return keys.current
    },
    get generation() {
      return generation
    },
    get dataKey() {
      return keys.dataKey
    },

    async find(kid) {
      if (kid === undefined) return keys.current
      const now = clock.now()
      const mayBeNew = now - lookedAt >= lookUpAgainMs || seenVersion !== feed.version()
      if (!keys.byKid.has(kid) && mayBeNew) await read()
      const found = keys.byKid.get(kid)
      return found && (found.retiredAt === null || now < found.retiredAt) ? found.key : undefined
    },

    publicKeys: () => ({
      keys: [...keys.byKid.values()]
        .filter(
          ({ key, retiredAt }) =>
            key.algorithm === 'RS256' && (retiredAt ?? Infinity) > clock.now(),
        )
        .map(({ key: { kid, verifyWith } }) => ({
          ...publicJwk(verifyWith),
          kid,
          alg: 'RS256',
          use: 'sig',
        })),
    }),

    async refresh() {
      if (mayHaveChanged()) await read()
    },

    async rotate() {
      if (signer) throw new Error(operatorKeyMessage(algorithm))
      await addSigningKey({ replacing: true })
      await read()
    },

    async retire(kid) {
      if (kid === keys.current.kid) throw new Error('this key signs: rotate first')
      const isRetired = await transact(db, [lockName.keys], async (trx) => {
        if (!(await keyStore(trx).end(kid, clock.now()))) return false
        await events.record(trx, keyRetired, { kid })
        return true
      })
      await read()
      return isRetired
    },

    async list() {
      const stored = await keyStore(db).all()
      return [
        ...own.map(({ kid, algorithm: name }) => ({
          id: kid,
          purpose: 'signing' as const,
          algorithm: name,
          createdAt: null,
          retiredAt: null,
          signs: kid === keys.current.kid,
        })),
        ...stored.map(({ sealed: _, ...key }) => ({ ...key, signs: key.id === keys.current.kid })),
      ]
    },

    async rotateIfDue() {
      if (signer || rotationDays === 0) return false
      if (!(await addSigningKey({ replacing: true, ifOlderThanMs: rotationDays * dayMs })))
        return false
      await read()
      return true
    },
  }

  function mayHaveChanged(): boolean {
    return !feed.isCurrent() || seenVersion !== feed.version()
  }

  async function read(): Promise<void> {
    const version = feed.version()
    lookedAt = clock.now()
    const sealedKeys = await keyStore(db).all()
    const print = printOf(sealedKeys)
    if (print !== keysPrint) {
      keys = open(sealedKeys)
      keysPrint = print
      generation += 1
    }
    seenVersion = version // after the read, so that a failed one is tried again
  }

  function open(sealedKeys: readonly SealedKey[]) {
    const opened = sealedKeys.map((key) => ({ key, material: openKey(masterKey, key) }))
    const inUse = (purpose: SealedKey['purpose'], name: string) =>
      opened.find(
        ({ key }) => key.purpose === purpose && key.algorithm === name && key.retiredAt === null,
      )
    const byKid = new Map<string, { readonly key: SigningKey; readonly retiredAt: number | null }>()
    for (const { key, material } of opened) {
      if (key.purpose !== 'signing') continue
      const made = signingKey(key.id, key.algorithm as SigningAlgorithm, material) // as inserted below
      byKid.set(key.id, { key: made, retiredAt: key.retiredAt })
    }
    for (const key of own) byKid.set(key.kid, { key, retiredAt: null })
    const current = signer ?? byKid.get(inUse('signing', algorithm)?.key.id ?? '')?.key
    const dataKey = inUse('data', dataKeyAlgorithm)?.material
    if (!current || !dataKey) throw new Error('the key set is not whole')
    return { byKid, current, dataKey }
  }

  /**
   * Adds a signing key if there is none, or to replace it; answers false if another process was
   * first. The material is generated before the transaction, because an RSA key takes long.
   */
  async function addSigningKey({
    replacing,
    ifOlderThanMs = 0,
  }: {
    replacing: boolean
    ifOlderThanMs?: number
  }): Promise<boolean> {
    const isWanted = async (store: ReturnType<typeof keyStore>) => {
      const newest = await store.newest('signing', algorithm)
      if (!newest) return true
      return replacing && clock.now() - newest.createdAt >= ifOlderThanMs
    }
    if (!(await isWanted(keyStore(db)))) return false
    const material = await generateMaterial(algorithm, random)
    return transact(db, [lockName.keys], async (trx) => {
      const store = keyStore(trx)
      if (!(await isWanted(store))) return false
      const until = clock.now() + longestTokenMs(config) + overlapMarginMs
      await store.retireInUse('signing', algorithm, until)
      const kid = await insert(trx, 'signing', algorithm, material)
      if (replacing) await events.record(trx, keyRotated, { kid })
      return true
    })
  }

  async function addDataKey(): Promise<void> {
    await transact(db, [lockName.keys], async (trx) => {
      if (await keyStore(trx).newest('data', dataKeyAlgorithm)) return
      await insert(trx, 'data', dataKeyAlgorithm, random.bytes(dataKeyBytes))
    })
  }

  async function insert(
    trx: DatabaseOrTransaction,
    purpose: SealedKey['purpose'],
    name: string,
    material: Uint8Array,
  ): Promise<string> {
    // An operand of `gatehouse keys retire`, which must not look like an option.
    const id = randomText(random, 12).replace(/^-/, '_')
    const key = { id, purpose, algorithm: name }
    const sealed = sealKey(random, masterKey, key, material)
    await keyStore(trx).insert({ ...key, sealed, createdAt: clock.now(), retiredAt: null })
    return key.id
  }
}

/** Answers a text that differs between two states of the key set. */
function printOf(keys: readonly SealedKey[]): string {
  return keys.map(({ id, retiredAt }) => `${id}:${retiredAt}`).join(' ')
}

function longestTokenMs({ token }: Pick<Config, 'token'>): number {
  return Math.max(token.singleSeconds, token.accessSeconds, token.refreshSeconds) * 1000
}

function operatorKeyMessage(algorithm: SigningAlgorithm): string {
  return algorithm === 'HS256'
    ? 'TOKEN_SECRET signs: set a new one, and the old one as TOKEN_SECRET_PREVIOUS'
    : 'TOKEN_PRIVATE_KEY signs: it can only be replaced there'
}
