import { decodeStrict } from './cbor.ts'

/** WebAuthn level 3, section 6.1. */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array
  readonly isUserPresent: boolean
  readonly isUserVerified: boolean
  /** The passkey can be copied to other devices. */
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  /** 0 if the authenticator does not count. */
  readonly counter: number
  /** Only at a registration. */
  readonly credential: AttestedCredential | null
}

export interface AttestedCredential {
  readonly aaguid: Uint8Array
  readonly id: Uint8Array
  /** COSE_Key. */
  readonly publicKey: Uint8Array
}

const flags = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, at: 0x40, ed: 0x80 }
const headBytes = 37
const aaguidBytes = 16
export const maxIdBytes = 1023

/** @throws Error */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < headBytes) throw new Error('authenticator data: too short')
  const view = Buffer.from(bytes)
  const set = view.readUInt8(32)
  const has = (flag: number) => (set & flag) !== 0
  let index = headBytes
  let credential: AttestedCredential | null = null
  if (has(flags.at)) [credential, index] = readCredential(view, index)
  if (has(flags.ed)) {
    const [extensions, end] = decodeStrict(view, index)
    if (!(extensions instanceof Map)) throw new Error('authenticator data: extensions are no map')
    index = end
  }
  if (index !== view.length) throw new Error('authenticator data: left-over bytes')
  return {
    rpIdHash: view.subarray(0, 32),
    isUserPresent: has(flags.up),
    isUserVerified: has(flags.uv),
    isBackupEligible: has(flags.be),
    isBackedUp: has(flags.bs),
    counter: view.readUInt32BE(33),
    credential,
  }
}

function readCredential(view: Buffer, start: number): [AttestedCredential, number] {
  const idStart = start + aaguidBytes + 2
  const idBytes = view.readUInt16BE(start + aaguidBytes)
  if (idBytes === 0 || idBytes > maxIdBytes) throw new Error('credential id: wrong length')
  const keyStart = idStart + idBytes
  if (keyStart > view.length) throw new Error('authenticator data: too short')
  const [, end] = decodeStrict(view, keyStart)
  const credential = {
    aaguid: view.subarray(start, start + aaguidBytes),
    id: view.subarray(idStart, keyStart),
    publicKey: view.subarray(keyStart, end),
  }
  return [credential, end]
}
