import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPair,
  type KeyObject,
} from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Config } from '../config.ts'
import type { Database, DatabaseOrTransaction } from '../database/connect.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { Secret } from '../kernel/secret.ts'
import { loadMasterKey } from './master-key.ts'
import { seal, unseal } from './seal.ts'
import { keyStore, type SealedKey } from './store.ts'

/**
 * The key set: what signs and verifies tokens, and what encrypts stored second-factor secrets, apart
 * from each other. It lies in the database, sealed under the master key. Spec 5.3 rule 5.
 */
export type SigningAlgorithm = 'HS256' | 'RS256'

export interface SigningKey {
  readonly kid: string
  /** The one algorithm that this key may be used with. RFC 8725 section 3.1. */
  readonly algorithm: SigningAlgorithm
  readonly signWith: KeyObject
  readonly verifyWith: KeyObject
}

export interface KeySet {
  /** Signs new tokens. */
  readonly current: SigningKey
  /** The key of a `kid`; the current one where a token names none. */
  find(kid: string | undefined): SigningKey | undefined
  /** The public keys. RFC 7517 section 5; empty while nothing is signed with RS256. */
  publicKeys(): { readonly keys: readonly JWK[] }
  /** AES-256 key for secrets at rest. */
  readonly dataKey: Uint8Array
}

export interface KeySetDeps {
  readonly config: Pick<Config, 'masterKey' | 'database' | 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
}

const hmacSecretBytes = 32
const rsaModulusBits = 3072
const dataKeyAlgorithm = 'A256GCM'

/** Loads the key set; makes what it lacks. @throws Error where the master key does not open it */
export async function loadKeySet(deps: KeySetDeps): Promise<KeySet> {
  const { config, db, random } = deps
  const { algorithm } = config.token
  const masterKey = loadMasterKey({
    config,
    random,
    mayCreate: (await keyStore(db).all()).length === 0,
  })
  const own = await operatorKeys(config)
  // A generated RSA key takes a while: made before the transaction, kept only if nobody else made one.
  const hasCurrent = own.some((key) => key.algorithm === algorithm && key.signs)
  const missing =
    hasCurrent || (await hasKey(db, algorithm)) ? undefined : await generate(algorithm, random)
  const sealedKeys = await db.transaction().execute(async (trx) => {
    if (missing && !(await hasKey(trx, algorithm))) {
      await addKey(trx, deps, masterKey, 'signing', algorithm, missing)
    }
    if (!(await hasKey(trx, dataKeyAlgorithm))) {
      await addKey(trx, deps, masterKey, 'data', dataKeyAlgorithm, random.bytes(32))
    }
    return keyStore(trx).all()
  })
  return assemble(masterKey, sealedKeys, own, algorithm)
}

async function assemble(
  masterKey: Uint8Array,
  sealedKeys: readonly SealedKey[],
  own: readonly OperatorKey[],
  algorithm: SigningAlgorithm,
): Promise<KeySet> {
  const opened = sealedKeys.map((key) => ({ key, material: open(masterKey, key) }))
  const newest = (purpose: SealedKey['purpose'], name: string) =>
    opened.find(
      ({ key }) => key.purpose === purpose && key.algorithm === name && key.retiredAt === null,
    )
  const stored = opened
    .filter(({ key }) => key.purpose === 'signing')
    .map(({ key, material }) => signingKey(key.id, key.algorithm as SigningAlgorithm, material)) // we wrote it
  const newestId = newest('signing', algorithm)?.key.id
  const dataKey = newest('data', dataKeyAlgorithm)?.material
  const current =
    own.find((key) => key.algorithm === algorithm && key.signs) ??
    stored.find((key) => key.kid === newestId)
  if (!current || !dataKey) throw new Error('the key set is not whole')

  const byKid = new Map([...stored, ...own].map((key) => [key.kid, key]))
  return {
    current,
    dataKey,
    find: (kid) => (kid === undefined ? current : byKid.get(kid)),
    publicKeys: () => ({
      keys: [...byKid.values()]
        .filter((key) => key.algorithm === 'RS256')
        .map(({ kid, verifyWith }) => ({
          ...(verifyWith.export({ format: 'jwk' }) as JWK), // Node's type of the same thing
          kid,
          alg: 'RS256',
          use: 'sig',
        })),
    }),
  }
}

interface OperatorKey extends SigningKey {
  /** False for the secret before the present one, which only verifies. */
  readonly signs: boolean
}

async function operatorKeys({ token }: Pick<Config, 'token'>): Promise<OperatorKey[]> {
  const keys: OperatorKey[] = []
  const addSecret = (secret: Secret | undefined, signs: boolean) => {
    if (!secret) return
    const bytes = Buffer.from(secret.reveal())
    // Not a plain hash: a kid is public.
    const kid = createHmac('sha256', bytes).update('kid').digest('base64url').slice(0, 22)
    keys.push({ ...signingKey(kid, 'HS256', bytes), signs })
  }
  addSecret(token.secret, true)
  addSecret(token.previousSecret, false)
  if (token.privateKey) {
    const signWith = createPrivateKey(token.privateKey.reveal())
    const verifyWith = createPublicKey(signWith)
    const kid = await calculateJwkThumbprint(verifyWith.export({ format: 'jwk' }) as JWK) // RFC 7638
    keys.push({ kid, algorithm: 'RS256', signWith, verifyWith, signs: true })
  }
  return keys
}

function signingKey(kid: string, algorithm: SigningAlgorithm, material: Uint8Array): SigningKey {
  if (algorithm === 'HS256') {
    const key = createSecretKey(material)
    return { kid, algorithm, signWith: key, verifyWith: key }
  }
  const signWith = createPrivateKey({ key: Buffer.from(material), format: 'der', type: 'pkcs8' })
  return { kid, algorithm, signWith, verifyWith: createPublicKey(signWith) }
}

async function generate(algorithm: SigningAlgorithm, random: Random): Promise<Uint8Array> {
  if (algorithm === 'HS256') return random.bytes(hmacSecretBytes)
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: rsaModulusBits })
  return privateKey.export({ format: 'der', type: 'pkcs8' })
}

async function hasKey(db: DatabaseOrTransaction, algorithm: string): Promise<boolean> {
  const keys = await keyStore(db).all()
  return keys.some((key) => key.algorithm === algorithm && key.retiredAt === null)
}

async function addKey(
  trx: DatabaseOrTransaction,
  { clock, random }: Pick<KeySetDeps, 'clock' | 'random'>,
  masterKey: Uint8Array,
  purpose: SealedKey['purpose'],
  algorithm: string,
  material: Uint8Array,
): Promise<void> {
  const id = randomText(random, 12)
  const sealed = seal(random, masterKey, sealContext({ id, purpose, algorithm }), material)
  await keyStore(trx).insert({
    id,
    purpose,
    algorithm,
    sealed,
    createdAt: clock.now(),
    retiredAt: null,
  })
}

function open(masterKey: Uint8Array, key: SealedKey): Uint8Array {
  try {
    return unseal(masterKey, sealContext(key), key.sealed)
  } catch (cause) {
    throw new Error('the master key does not open the key set in the database', { cause })
  }
}

function sealContext({
  id,
  purpose,
  algorithm,
}: Pick<SealedKey, 'id' | 'purpose' | 'algorithm'>): string {
  return `${purpose}:${algorithm}:${id}`
}
