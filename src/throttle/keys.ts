import { derivedKey, keyedDigest } from '../kernel/digest.ts'
import type { Username } from '../kernel/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { ThrottleKey } from './store.ts'

/** What tries are counted for. */
export type CountName = 'login' | 'address' | 'captcha' | 'second_factor'

const captchaPrefix = 'captcha '
const factorPrefix = 'totp '

/** The keys of all counts, made here alone, so that they can be read again. */
export interface ThrottleKeys {
  /** Spec 3.3: username and client address; null stands for every text that is no username. */
  login(username: Username | null, address: string): ThrottleKey
  address(address: string): ThrottleKey
  captcha(username: Username | null, address: string): ThrottleKey
  /** What stands for a username in them. */
  digestOf(username: Username): string
}

/**
 * People type passwords into the field of the username: a plain digest of one could be guessed at by
 * whoever reads the database, without paying for a hash. All nodes have the same key.
 */
export function createThrottleKeys({ dataKey }: Pick<KeySet, 'dataKey'>): ThrottleKeys {
  const digestKey = derivedKey(dataKey, 'throttle')
  const digestOf = (username: Username | null) => keyedDigest(digestKey, username ?? '')
  return {
    login: (username, address) => ({ username: digestOf(username), address }),
    address: (address) => ({ username: '', address }),
    captcha: (username, address) => ({ username: captchaPrefix + digestOf(username), address }),
    digestOf,
  }
}

/** Over all addresses: who tries codes has the password already. */
export function secondFactorKey(userId: number): ThrottleKey {
  return { username: factorPrefix + userId, address: '' }
}

export interface CountedFor {
  readonly count: CountName
  /** `digestOf` the username, or the user's id, where the count is of one. */
  readonly usernameDigest: string | null
  readonly userId: number | null
  readonly address: string | null
}

export function readThrottleKey({ username, address }: ThrottleKey): CountedFor {
  const nobody = { usernameDigest: null, userId: null, address }
  if (username === '') return { ...nobody, count: 'address' }
  if (username.startsWith(factorPrefix)) {
    const userId = Number(username.slice(factorPrefix.length))
    return { ...nobody, count: 'second_factor', userId, address: null }
  }
  if (username.startsWith(captchaPrefix)) {
    const usernameDigest = username.slice(captchaPrefix.length)
    return { ...nobody, count: 'captcha', usernameDigest }
  }
  return { ...nobody, count: 'login', usernameDigest: username }
}
