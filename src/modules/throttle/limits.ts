import { throttledAddress } from '../../core/addresses/address.ts'
import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Username } from '../../core/lib/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import { type Attempt, type AttemptOptions, type FailureCount, runAttempt } from './attempt.ts'
import type { Captcha } from './captcha.ts'
import { clientFailMax, loginFailMax, loginLock } from './events.ts'
import {
  createThrottleKeys,
  deviceKey,
  type LimitName,
  nameOfEmail,
  otherSpellings,
} from './keys.ts'
import { takenUsernamesQuota } from './taken-usernames.ts'
import {
  type Admitted,
  countOf,
  createLimiter,
  type Exceeded,
  type Quota,
  type RateLimit,
  type ThrottleDeps,
  tooManyAttempts,
} from './throttle.ts'

/** The rate limits of every login: by form, JSON, Basic or code. Spec 3.3, 8; docs/adr/0010. */
export interface LoginLimits {
  /**
   * Does the work as one attempt. @throws ApiError tooManyLoginAttempts, captchaRequired; errors of
   * the work
   */
  attempt<T>(login: LoginAttempt, work: (attempt: Attempt) => Promise<T>): Promise<T>
  /**
   * As `attempt`, for a code after another proof than a password. Requires no captcha, because a
   * code page has none; the attempt counts towards the captcha's limit. @throws ApiError
   * tooManyLoginAttempts; errors of the work
   */
  attemptCode<T>(login: LoginAttempt, work: (attempt: Attempt) => Promise<T>): Promise<T>
  /** Admits a password that need not be verified again. @throws ApiError as `attempt` */
  admit(login: LoginAttempt): Promise<void>
}

export interface LoginAttempt {
  /**
   * The input in canonical form: a username, or `nameOfEmail`. Null for text that can name no
   * account: such attempts share one key per address.
   */
  readonly username: Username | null
  /**
   * For an email address: the username of its account, or a name that no account can have. Both
   * spellings share one quota. No response reveals that the other spelling used up the quota.
   */
  readonly account?: Username
  /** The browser, if it is a device of the account: its quota replaces the limit of the address. */
  readonly device?: KnownDevice | null
  readonly address: string
  /** The solution of a challenge; Basic cannot carry one. */
  readonly captcha?: string | undefined
  /** No password was sent: the attempt counts here, and not towards the lockout. */
  readonly isIncomplete?: boolean
}

export interface KnownDevice {
  readonly userId: number
  /** From `Devices.ofBrowser`. */
  readonly digest: string
}

/** Counts consecutive failures over all addresses, in the transaction that settles the attempt. */
export interface FailuresInARow {
  /**
   * Counts a failure; returns the user's id if the failure locks the account. A failure at a reset
   * counts during a lockout too, because a lockout does not deny the reset.
   */
  failed(trx: DatabaseOrTransaction, username: Username, during?: 'reset'): Promise<number | null>
  /** Resets the count, unless failures have locked the account in the meantime. */
  succeeded(trx: DatabaseOrTransaction, username: Username, account?: FailureCount): Promise<void>
}

export interface LoginLimitsDeps extends ThrottleDeps {
  readonly config: Pick<Config, 'login'>
  readonly events: Events
  readonly captcha: Captcha
  readonly failures: FailuresInARow
  readonly keys: Pick<KeySet, 'dataKey'>
}

/** Wrong codes of a user, over all addresses. */
export const secondFactorQuota: Quota = { attempts: 5, windowSeconds: 900 }

export function quotaOf({ login }: Pick<Config, 'login'>, limit: LimitName): Quota {
  const { perUsername, perAddress, proofOfWorkAfter } = login
  return {
    login: perUsername,
    login_by_email: perUsername,
    device: perUsername,
    address: perAddress,
    captcha: { attempts: proofOfWorkAfter, windowSeconds: perUsername.windowSeconds },
    second_factor: secondFactorQuota,
    client: perUsername,
    client_address: perAddress,
    passkey_address: perAddress,
    taken_usernames: takenUsernamesQuota,
  }[limit]
}

/** See `RateLimit.pendingLapses`. */
export function pendingLapses(limit: LimitName): boolean {
  return limit === 'address' || limit === 'client_address' || limit === 'passkey_address'
}

/** Rate limits of wrong client secrets, with the quotas of a login. */
export interface ClientLimits {
  /** @throws as `LoginLimits.attempt` */
  attempt<T>(
    client: { readonly id: string; readonly address: string },
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T>
}

/** Apart from the limits of logins: docs/adr/0034. */
export function createClientLimits(
  deps: Omit<LoginLimitsDeps, 'captcha' | 'failures'>,
): ClientLimits {
  const { config, events } = deps
  const limiter = createLimiter(deps)
  const throttleKeys = createThrottleKeys(deps.keys)
  return {
    async attempt({ id, address: client }, work) {
      const address = throttledAddress(client)
      const keys = {
        client: throttleKeys.client(id, address),
        client_address: throttleKeys.clientAddress(address),
      }
      const limits = (['client', 'client_address'] as const).map((name) => ({
        key: keys[name],
        quota: quotaOf(config, name),
        resetsOnSuccess: name === 'client', // otherwise an own client would buy guesses at others
        pendingLapses: pendingLapses(name),
      }))
      const answer = await limiter.reserve(limits)
      if ('exceeded' in answer) {
        events.emit(clientFailMax, {})
        throw tooManyAttempts(answer)
      }
      return runAttempt(deps, { reservation: answer.reservation, events }, work)
    },
  }
}

/**
 * Wrong passkeys of an address. No account counts them: ids of passkeys are no secrets, and a
 * signature cannot be guessed.
 */
export interface PasskeyLimits {
  /** @throws as `LoginLimits.attempt` */
  attempt<T>(
    login: Pick<LoginAttempt, 'address'>,
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T>
}

export function createPasskeyLimits(
  deps: Omit<LoginLimitsDeps, 'captcha' | 'failures'>,
): PasskeyLimits {
  const { config, events } = deps
  const limiter = createLimiter(deps)
  const throttleKeys = createThrottleKeys(deps.keys)
  return {
    async attempt({ address: client }, work) {
      const name = 'passkey_address'
      const answer = await limiter.reserve([
        {
          key: throttleKeys.passkeyAddress(throttledAddress(client)),
          quota: quotaOf(config, name),
          resetsOnSuccess: false, // otherwise an own passkey would buy tries at others
          pendingLapses: pendingLapses(name),
        },
      ])
      if ('exceeded' in answer) {
        events.emit(loginFailMax, {})
        throw tooManyAttempts(answer)
      }
      return runAttempt(deps, { reservation: answer.reservation, events }, work)
    },
  }
}

export async function countFailure(
  { events, failures }: { events: Events; failures: Pick<FailuresInARow, 'failed'> },
  trx: DatabaseOrTransaction,
  username: Username,
  during?: 'reset',
): Promise<void> {
  const locked = await failures.failed(trx, username, during)
  if (locked === null) return
  const payload = { user_id: locked, ...(during && { during }) }
  await events.emitInTransaction(trx, loginLock, payload, { typed: username })
}

export function createLoginLimits(deps: LoginLimitsDeps): LoginLimits {
  const { config, events, captcha, failures } = deps
  const limiter = createLimiter(deps)
  const throttleKeys = createThrottleKeys(deps.keys)

  return {
    async attempt(login, work) {
      const { always, ofAccount, withoutCaptcha } = limitsOf(login)
      const all = [...always, ...ofAccount.map(toFail)]
      let answer = await limiter.reserve([...all, withoutCaptcha])
      if ('exceeded' in answer && answer.exceeded === withoutCaptcha) {
        if (!(await captcha.accepts(login.captcha))) throw await captchaRequired(answer, login)
        answer = await limiter.reserve([...all, unlimited(withoutCaptcha)])
      }
      if ('exceeded' in answer) throw tooMany(answer, login)
      return runAttempt(deps, options(answer, login), work)
    },

    async attemptCode(login, work) {
      const { always, ofAccount, withoutCaptcha } = limitsOf(login)
      const answer = await limiter.reserve([...always, ...ofAccount, unlimited(withoutCaptcha)])
      if ('exceeded' in answer) throw tooMany(answer, login)
      return runAttempt(deps, options(answer, login), work)
    },

    async admit(login) {
      const { always, ofAccount, withoutCaptcha } = limitsOf(login)
      const refusal = await limiter.admit([...always, ...ofAccount, withoutCaptcha])
      if (refusal?.exceeded === withoutCaptcha) throw await captchaRequired(refusal, login)
      if (refusal) throw tooMany(refusal, login)
    },
  }

  /** In the order in which the limits refuse. */
  function limitsOf({ username, account, device, address: client }: LoginAttempt) {
    const address = throttledAddress(client)
    const keys = throttleKeys.named(username, address)
    const preferred: Pick<RateLimit, 'inPlaceOf'> = device
      ? {
          inPlaceOf: {
            key: deviceKey(device.userId, device.digest),
            quota: quotaOf(config, 'device'),
            resetsOnSuccess: true,
            pendingLapses: pendingLapses('device'),
          },
        }
      : {}
    const always: RateLimit[] = [
      {
        key: keys.login,
        quota: quotaOf(config, 'login'),
        resetsOnSuccess: true,
        pendingLapses: pendingLapses('login'),
      },
      {
        key: throttleKeys.address(address),
        quota: quotaOf(config, 'address'),
        resetsOnSuccess: false, // otherwise a login to an own account would buy guesses at others
        pendingLapses: pendingLapses('address'),
        ...preferred,
      },
    ]
    const named = account ?? username
    const key = named === null ? null : throttleKeys.byEmail(named, address)
    const ofAccount: RateLimit[] = key
      ? [
          {
            key,
            also: otherSpellings(key),
            takesPlace: account !== undefined,
            quota: quotaOf(config, 'login_by_email'),
            resetsOnSuccess: true,
            pendingLapses: pendingLapses('login_by_email'),
          },
        ]
      : []
    const withoutCaptcha: RateLimit = {
      key: keys.captcha,
      quota: quotaOf(config, 'captcha'),
      resetsOnSuccess: true,
      pendingLapses: pendingLapses('captcha'),
    }
    return { always, ofAccount, withoutCaptcha }
  }

  function tooMany(exceeded: Exceeded, { username, account }: LoginAttempt): ApiError {
    events.emit(loginFailMax, {}, { typed: account ?? username })
    return tooManyAttempts(exceeded)
  }

  async function captchaRequired(full: Exceeded, sent: LoginAttempt): Promise<ApiError> {
    const code = sent.captcha === undefined ? 'captcha_absent' : 'captcha_wrong'
    return new ApiError('captchaRequired', {
      extra: { captcha: await captcha.challenge() },
      reason: { code, facts: countOf(full) },
    })
  }

  /**
   * Counts the outcome for the account too, in the same transaction. Usernames without an account
   * take the same time.
   */
  function options(
    { reservation, usedUp }: Admitted,
    { username, account, isIncomplete = false }: LoginAttempt,
  ): AttemptOptions {
    const typed = account ?? username
    const attempt = { reservation, usedUp, events, typed }
    if (typed === null || isIncomplete) return attempt
    const counted = usedUp ? noAccount : typed // a password that was not verified is no failure in a row
    return {
      ...attempt,
      failed: (trx) => countFailure({ events, failures }, trx, counted),
      succeeded: (trx, found) => failures.succeeded(trx, typed, found),
    }
  }
}

/** A name that no account can have. */
const noAccount = nameOfEmail('')

/** Hides a reached limit: the attempt is admitted and fails. */
function toFail(limit: RateLimit): RateLimit {
  return { ...limit, admitsToFail: true }
}

/**
 * Removes the maximum after a solved challenge. Without captchas the attempt is not counted either.
 */
function unlimited(limit: RateLimit): RateLimit {
  if (limit.quota.attempts === 0) return limit
  return { ...limit, quota: { ...limit.quota, attempts: Number.POSITIVE_INFINITY } }
}
