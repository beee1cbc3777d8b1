import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { Username } from '../../core/lib/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { ThrottleKey } from './store.ts'

export type LimitName =
  | 'login'
  | 'login_by_email'
  | 'device'
  | 'address'
  | 'captcha'
  | 'second_factor'
  | 'client'
  | 'client_address'
  | 'passkey_address'
  | 'taken_usernames'

const captchaPrefix = 'captcha '
const emailPrefix = 'email '
const devicePrefix = 'device '
const factorPrefix = 'totp '
const clientPrefix = 'client '
const allClients = 'clients of an address'
const allPasskeys = 'passkeys of an address'
const takenPrefix = 'taken usernames '

/**
 * The keys of all rate limits. Only this file makes keys, so that `readThrottleKey` can read them.
 */
export interface ThrottleKeys {
  /**
   * Username and client address, spec 3.3; texts that are no username share the keys of null. Both
   * limits share one digest.
   */
  named(
    username: Username | null,
    address: string,
  ): { readonly login: ThrottleKey; readonly captcha: ThrottleKey }
  /** An account and a client address, for attempts with the account's email address. */
  byEmail(account: Username, address: string): ThrottleKey
  address(address: string): ThrottleKey
  /** A client and an account of one name never share a key. */
  client(id: string, address: string): ThrottleKey
  /** All clients of an address, known or not. */
  clientAddress(address: string): ThrottleKey
  /** All passkeys of an address. */
  passkeyAddress(address: string): ThrottleKey
  /** The digest of a username or client id in the keys. */
  digestOf(name: string): string
}

/**
 * The digest of the username is keyed: users type passwords into the username field, and a plain
 * digest would let a reader of the database guess such a password cheaply. All nodes share the
 * digest key.
 */
export function createThrottleKeys({ dataKey }: Pick<KeySet, 'dataKey'>): ThrottleKeys {
  const digestKey = derivedKey(dataKey, 'throttle')
  const digestOf = (name: string | null) => keyedDigest(digestKey, name ?? '')
  return {
    named(username, address) {
      const name = digestOf(username)
      return {
        login: { username: name, address },
        captcha: { username: captchaPrefix + name, address },
      }
    },
    byEmail: (account, address) => ({ username: emailPrefix + digestOf(account), address }),
    address: (address) => ({ username: '', address }),
    client: (id, address) => ({ username: clientPrefix + digestOf(id), address }),
    clientAddress: (address) => ({ username: allClients, address }),
    passkeyAddress: (address) => ({ username: allPasskeys, address }),
    digestOf,
  }
}

/** Wrong codes over all addresses: a client that sends codes has proved the password. */
export function secondFactorKey(userId: number): ThrottleKey {
  return { username: factorPrefix + userId, address: '' }
}

/** `device`: the digest of a browser that is a device of the account. */
export function deviceKey(userId: number, device: string): ThrottleKey {
  return { username: devicePrefix + userId, address: device }
}

/** Attempts with an email address are counted under this name, which no account can have. */
export function nameOfEmail(emailKey: string): Username {
  return `mailto:${emailKey}` as Username
}

/** The other keys of the same limit: username and email address share one quota. */
export function otherSpellings({ username, address }: ThrottleKey): ThrottleKey[] {
  const { count, usernameDigest } = readThrottleKey({ username, address })
  if (count === 'login') return [{ username: emailPrefix + usernameDigest, address }]
  if (count === 'login_by_email') return [{ username: usernameDigest ?? '', address }]
  return []
}

/** Keys of refusals because a username is taken: for a confirmation, and for an address. */
export function takenUsernamesKeys(confirmation: string, address: string) {
  return {
    confirmation: { username: takenPrefix + confirmation, address: '' },
    client: { username: takenPrefix, address },
  } satisfies Record<string, ThrottleKey>
}

/** A key in readable form. */
export interface LimitKey {
  readonly count: LimitName
  /** The digest of the username or the user's id, for limits of a username or user. */
  readonly usernameDigest: string | null
  /** The digest of the id, for limits of a client. */
  readonly clientDigest: string | null
  readonly userId: number | null
  readonly address: string | null
}

/** Reads a key of `ThrottleKeys`, or of `secondFactorKey`. */
export function readThrottleKey({ username, address }: ThrottleKey): LimitKey {
  const unnamed = { usernameDigest: null, clientDigest: null, userId: null, address }
  if (username === '') return { ...unnamed, count: 'address' }
  if (username === allClients) return { ...unnamed, count: 'client_address' }
  if (username === allPasskeys) return { ...unnamed, count: 'passkey_address' }
  if (username.startsWith(takenPrefix)) {
    return { ...unnamed, count: 'taken_usernames', address: address || null }
  }
  if (username.startsWith(clientPrefix)) {
    const clientDigest = username.slice(clientPrefix.length)
    return { ...unnamed, count: 'client', clientDigest }
  }
  if (username.startsWith(factorPrefix)) {
    const userId = Number(username.slice(factorPrefix.length))
    return { ...unnamed, count: 'second_factor', userId, address: null }
  }
  if (username.startsWith(devicePrefix)) {
    const userId = Number(username.slice(devicePrefix.length))
    return { ...unnamed, count: 'device', userId, address: null }
  }
  if (username.startsWith(emailPrefix)) {
    return {
      ...unnamed,
      count: 'login_by_email',
      usernameDigest: username.slice(emailPrefix.length),
    }
  }
  if (username.startsWith(captchaPrefix)) {
    const usernameDigest = username.slice(captchaPrefix.length)
    return { ...unnamed, count: 'captcha', usernameDigest }
  }
  return { ...unnamed, count: 'login', usernameDigest: username }
}
