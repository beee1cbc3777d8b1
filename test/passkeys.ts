import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from 'node:crypto'
import { type CBORType, encodeCBOR } from '@levischuck/tiny-cbor'
import type { Algorithm } from '../src/modules/passkeys/webauthn/algorithms.ts'
import type { Answer, Headers, Someone, TestApp } from './app.ts'
import { proofOf } from './proofs.ts'

/** What a test makes different in an answer of an authenticator. */
export interface Differently {
  readonly type?: string
  readonly challenge?: string
  readonly origin?: string
  /** More fields of the client data. */
  readonly client?: object
  readonly rpId?: string
  /** Bits of the flags; default: UP, UV and what the passkey is. */
  readonly flags?: number
  readonly counter?: number
  readonly userHandle?: string | null
  readonly id?: string
  /** COSE_Key. */
  readonly publicKey?: Uint8Array
  readonly attestation?: Uint8Array
  /** Appended to the authenticator data. */
  readonly more?: Uint8Array
  /** Changes the authenticator data before they are signed. */
  readonly authData?: (bytes: Buffer) => Buffer
  /** Changes the client data before they are signed. */
  readonly clientData?: (bytes: Buffer) => Buffer
}

export const flags = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 }

/** The passkey of an authenticator, made of software. */
export interface SoftwarePasskey {
  readonly id: string
  readonly userHandle: string
  readonly publicKey: Uint8Array
  /** `RegistrationResponseJSON` */
  registration(options: CreationOptions, differently?: Differently): RegistrationJson
  /** `AuthenticationResponseJSON` */
  assertion(options: RequestOptions, differently?: Differently): AssertionJson
}

export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string }
  readonly user: { readonly id: string }
}

export interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string
}

export type RegistrationJson = ReturnType<typeof registrationJson>
export type AssertionJson = ReturnType<typeof assertionJson>

export interface PasskeyKind {
  readonly origin: string
  readonly rpId?: string
  readonly algorithm?: Algorithm
  /** Copied to other devices; does not count then. Default: true. */
  readonly isSynced?: boolean
  readonly userHandle?: string
}

const same = (bytes: Buffer) => bytes

export function softwarePasskey(kind: PasskeyKind): SoftwarePasskey {
  const { algorithm = -7, isSynced = true, origin } = kind
  const rpId = kind.rpId ?? new URL(origin).hostname
  const { privateKey, publicKey: key } = keyPair(algorithm)
  const id = randomBytes(32).toString('base64url')
  const publicKey = coseOf(algorithm, key)
  const usual = flags.up | flags.uv | (isSynced ? flags.be | flags.bs : 0)
  let counter = 0
  let userHandle = kind.userHandle ?? ''

  const headOf = (differently: Differently, set: number) => {
    const head = Buffer.alloc(37)
    createHash('sha256')
      .update(differently.rpId ?? rpId)
      .digest()
      .copy(head)
    head.writeUInt8(set, 32)
    head.writeUInt32BE(differently.counter ?? counter, 33)
    return head
  }
  const clientOf = (type: string, challenge: string, differently: Differently) => {
    const data = {
      type: differently.type ?? type,
      challenge: differently.challenge ?? challenge,
      origin: differently.origin ?? origin,
      crossOrigin: false,
      ...differently.client,
    }
    return (differently.clientData ?? same)(Buffer.from(JSON.stringify(data)))
  }
  return {
    id,
    publicKey,
    get userHandle() {
      return userHandle
    },

    registration(options, differently = {}) {
      userHandle = options.user.id
      const idBytes = Buffer.from(differently.id ?? id, 'base64url')
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(idBytes.length)
      const whole = Buffer.concat([
        headOf(differently, (differently.flags ?? usual) | flags.at),
        ...[Buffer.alloc(16), idLength, idBytes, differently.publicKey ?? publicKey],
        differently.more ?? Buffer.alloc(0),
      ])
      const authData = (differently.authData ?? same)(whole)
      const attestation =
        differently.attestation ??
        encodeCBOR(
          new Map<string, CBORType>([
            ['fmt', 'none'],
            ['attStmt', new Map()],
            ['authData', new Uint8Array(authData)],
          ]),
        )
      const client = clientOf('webauthn.create', options.challenge, differently)
      return registrationJson(differently.id ?? id, client, attestation)
    },

    assertion(options, differently = {}) {
      if (!isSynced) counter += 1
      const more = differently.more ?? Buffer.alloc(0)
      const head = headOf(differently, differently.flags ?? usual)
      const authData = (differently.authData ?? same)(Buffer.concat([head, more]))
      const client = clientOf('webauthn.get', options.challenge, differently)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      const signature = signBytes(algorithm === -8 ? null : 'sha256', signed, privateKey)
      const handle = differently.userHandle === undefined ? userHandle : differently.userHandle
      return assertionJson(differently.id ?? id, { client, authData, signature, handle })
    },
  }
}

function keyPair(algorithm: Algorithm) {
  if (algorithm === -8) return generateKeyPairSync('ed25519')
  if (algorithm === -7) return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return generateKeyPairSync('rsa', { modulusLength: 2048 })
}

export function coseOf(algorithm: number, key: KeyObject): Uint8Array {
  const jwk = key.export({ format: 'jwk' })
  const bytes = (text = '') => new Uint8Array(Buffer.from(text, 'base64url'))
  if (jwk.kty === 'RSA') {
    return cose([
      ...[[1, 3] as const, [3, algorithm] as const],
      ...[[-1, bytes(jwk.n)] as const, [-2, bytes(jwk.e)] as const],
    ])
  }
  if (jwk.kty === 'OKP') {
    return cose([
      ...[[1, 1] as const, [3, algorithm] as const],
      ...[[-1, 6] as const, [-2, bytes(jwk.x)] as const],
    ])
  }
  return cose([
    ...[[1, 2] as const, [3, algorithm] as const, [-1, 1] as const],
    ...[[-2, bytes(jwk.x)] as const, [-3, bytes(jwk.y)] as const],
  ])
}

export function cose(entries: readonly (readonly [number, CBORType])[]): Uint8Array {
  return encodeCBOR(new Map<string | number, CBORType>(entries))
}

function registrationJson(id: string, client: Uint8Array, attestation: Uint8Array) {
  return {
    ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
    response: {
      clientDataJSON: textOf(client),
      attestationObject: textOf(attestation),
      transports: ['internal', 'hybrid'],
    },
  }
}

interface AssertionParts {
  readonly client: Uint8Array
  readonly authData: Uint8Array
  readonly signature: Uint8Array
  readonly handle: string | null
}

function assertionJson(id: string, { client, authData, signature, handle }: AssertionParts) {
  return {
    ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
    response: {
      clientDataJSON: textOf(client),
      authenticatorData: textOf(authData),
      signature: textOf(signature),
      ...(handle && { userHandle: handle }),
    },
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}

export interface AddOptions {
  readonly kind?: Omit<PasskeyKind, 'origin'>
  readonly path?: string
  /** Default: the password. */
  readonly proof?: object
  readonly name?: string
}

/** Adds a passkey by the routes of the own account. */
export async function addPasskey(
  app: TestApp,
  headers: Headers,
  { kind = {}, path = '/api/account', proof, name = 'Telephone' }: AddOptions = {},
): Promise<{ readonly passkey: SoftwarePasskey; readonly body: Answer['body'] }> {
  const json = proof ?? (await proofOf(app, headers))
  const options = await app.call('POST', `${path}/passkeys/options`, { headers, json })
  if (options.status !== 200) throw new Error(`no options: ${options.status} ${options.text}`)
  const { origin } = app.deps.config.passkeys
  const passkey = softwarePasskey({ origin, ...kind })
  const response = passkey.registration(options.body)
  const added = await app.call('POST', `${path}/passkeys`, { headers, json: { response, name } })
  if (added.status !== 201) throw new Error(`not added: ${added.status} ${added.text}`)
  return { passkey, body: added.body }
}

/** An account with a password and a passkey. */
export async function withPasskey(
  app: TestApp,
  username: string,
  options?: AddOptions,
): Promise<{ readonly who: Someone; readonly passkey: SoftwarePasskey; readonly id: string }> {
  const who = await app.account(username)
  const { passkey, body } = await addPasskey(app, await app.session(who), options)
  return { who, passkey, id: body.id }
}

/** The answer of a passkey for a login by JSON. */
export async function assertionOf(
  app: TestApp,
  passkey: SoftwarePasskey,
  differently: Differently = {},
): Promise<AssertionJson> {
  const { body } = await app.call('POST', '/api/public/passkeys/options')
  return passkey.assertion(body, differently)
}

/** The answer of a passkey that proves the person for a change. */
export async function proofBy(
  app: TestApp,
  headers: Headers,
  passkey: SoftwarePasskey,
  action: string,
): Promise<{ passkey: AssertionJson }> {
  const { body } = await app.call('POST', '/api/account/passkeys/proof', {
    ...{ headers, json: { action } },
  })
  return { passkey: passkey.assertion(body) }
}
