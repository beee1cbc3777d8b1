import { digest } from '../kernel/digest.ts'
import type { Username } from '../kernel/username.ts'
import type { ThrottleKey } from './store.ts'

/** What tries are counted for. */
export type CountName = 'login' | 'address' | 'captcha' | 'second_factor'

const captchaPrefix = 'captcha '
const factorPrefix = 'totp '

/** The keys of all counts, made here alone, so that they can be read again. */
export const throttleKeys = {
  /** Spec 3.3: the username combined with the client address. */
  login: (username: Username, address: string): ThrottleKey => ({
    username: digest(username),
    address,
  }),
  address: (address: string): ThrottleKey => ({ username: '', address }),
  captcha: (username: Username, address: string): ThrottleKey => ({
    username: captchaPrefix + digest(username),
    address,
  }),
  /** Over all addresses: who tries codes has the password already. */
  secondFactor: (userId: number): ThrottleKey => ({
    username: factorPrefix + userId,
    address: '',
  }),
}

export interface CountedFor {
  readonly count: CountName
  /** Digest of the username, or the user's id, where the count is of one. */
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
