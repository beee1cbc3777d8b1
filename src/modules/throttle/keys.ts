import { derivedKey, keyedDigest } from '../../core/crypto/digest.ts'
import type { Username } from '../../core/lib/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { ThrottleKey } from './store.ts'

/** The rate limits of a login, of a second factor, of the secret of a client, and of taken usernames. */
export type LimitName =
  | 'login'
  | 'login_by_email'
  | 'device'
  | 'address'
  | 'captcha'
  | 'second_factor'
  | 'client'
  | 'client_address'
  | 'taken_usernames'

const captchaPrefix = 'captcha '
const emailPrefix = 'email '
const devicePrefix = 'device '
const factorPrefix = 'totp '
const clientPrefix = 'client '
const allClients = 'clients of an address'
const takenPrefix = 'taken usernames '

/**
 * The keys of all rate limits. No other file makes keys, so that `readThrottleKey` can read them.
 */
export interface ThrottleKeys {
  /**
   * Username and client address, spec 3.3; all texts that are no username share the keys of null.
   * Both limits have one digest, which is computed once.
   */
  named(
    username: Username | null,
    address: string,
  ): { readonly login: ThrottleKey; readonly captcha: ThrottleKey }
  /** An account and the client's address: attempts in which the mail address of the account was typed. */
  byEmail(account: Username, address: string): ThrottleKey
  address(address: string): ThrottleKey
  /** Client and address. A client and an account of one name never share a key. */
  client(id: string, address: string): ThrottleKey
  /** All clients of an address, known or not. */
  clientAddress(address: string): ThrottleKey
  /** The digest that stands for a username, or for a client's id, in the keys. */
  digestOf(name: string): string
}

/**
 * Makes keys with a keyed digest of the username. Users type passwords into the field of the
 * username by mistake: a reader of the database could guess such a password from a plain digest,
 * without the cost of a password hash. All nodes have the same digest key.
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
    digestOf,
  }
}

/**
 * The key of wrong codes, over all addresses: a client that sends codes has proved the password.
 */
export function secondFactorKey(userId: number): ThrottleKey {
  return { username: factorPrefix + userId, address: '' }
}

/** A browser that is a device of an account, over all addresses. `device`: its digest. */
export function deviceKey(userId: number, device: string): ThrottleKey {
  return { username: devicePrefix + userId, address: device }
}

/** The name under which attempts with a mail address are counted. No account can have this name. */
export function nameOfEmail(emailKey: string): Username {
  return `mailto:${emailKey}` as Username
}

/**
 * The other keys that count towards the limit of a key: an account has one quota for its username and
 * its mail address together.
 */
export function otherSpellings({ username, address }: ThrottleKey): ThrottleKey[] {
  const { count, usernameDigest } = readThrottleKey({ username, address })
  if (count === 'login') return [{ username: emailPrefix + usernameDigest, address }]
  if (count === 'login_by_email') return [{ username: usernameDigest ?? '', address }]
  return []
}

/** The keys of refusals that a username is taken: for a confirmation, and for a client's address. */
export function takenUsernamesKeys(confirmation: string, address: string) {
  return {
    confirmation: { username: takenPrefix + confirmation, address: '' },
    client: { username: takenPrefix, address },
  } satisfies Record<string, ThrottleKey>
}

/** A key in readable form. */
export interface LimitKey {
  readonly count: LimitName
  /** `digestOf` the username, or the user's id, if the limit is one of a username or of a user. */
  readonly usernameDigest: string | null
  /** `digestOf` the id, if the limit is one of a client. */
  readonly clientDigest: string | null
  readonly userId: number | null
  readonly address: string | null
}

/** Reads a key of `ThrottleKeys`, or `secondFactorKey`. */
export function readThrottleKey({ username, address }: ThrottleKey): LimitKey {
  const unnamed = { usernameDigest: null, clientDigest: null, userId: null, address }
  if (username === '') return { ...unnamed, count: 'address' }
  if (username === allClients) return { ...unnamed, count: 'client_address' }
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
