import type { Config } from '../config/load.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Events } from '../events/events.ts'
import { throttledAddress } from '../http/server/client-address.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Username } from '../kernel/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import { type Attempt, attempted, type FailureCount, type Settling } from './attempt.ts'
import type { Captcha } from './captcha.ts'
import { loginFailMax, loginLock } from './events.ts'
import { type CountName, createThrottleKeys } from './keys.ts'
import {
  type Count,
  createPlaces,
  type Full,
  type Limit,
  type TakenPlace,
  type ThrottleDeps,
  tooManyAttempts,
} from './throttle.ts'

/** Every limit of a login, whichever door it comes through. Spec 3.3, 8; docs/adr/0010. */
export interface LoginLimits {
  /**
   * Does the work as one attempt, once there is a place for it in every count.
   * @throws ApiError tooManyLoginAttempts, captchaRequired; and what the work throws
   */
  attempt<T>(login: LoginTry, work: (attempt: Attempt) => Promise<T>): Promise<T>
  /**
   * The same for a code that comes behind another proof than a password: a page that asks for the
   * code alone has no room for a captcha. The attempt counts towards one.
   * @throws ApiError tooManyLoginAttempts; and what the work throws
   */
  attemptCode<T>(login: LoginTry, work: (attempt: Attempt) => Promise<T>): Promise<T>
  /** For a password that need not be verified again. @throws ApiError as `attempt` */
  pass(login: LoginTry): Promise<void>
}

export interface LoginTry {
  /** Null for a text that can be no username: such attempts share one key per address. */
  readonly username: Username | null
  /** The client's address. */
  readonly address: string
  /** The solution of a challenge; Basic has no room for one. */
  readonly captcha?: string | undefined
  /** There was no password to try: it counts here, and not towards the lock of the account. */
  readonly isIncomplete?: boolean
}

/** Failures in a row, over all addresses; counted in the transaction that settles the attempt. */
export interface FailuresInARow {
  /** Answers the user whom this failure, and no other, has locked. */
  failed(trx: DatabaseOrTransaction, username: Username): Promise<number | null>
  /** Starts anew, unless they have locked the account in the meantime: a lock stays. */
  succeeded(trx: DatabaseOrTransaction, username: Username, account?: FailureCount): Promise<void>
}

export interface LoginLimitsDeps extends ThrottleDeps {
  readonly config: Pick<Config, 'login'>
  readonly events: Events
  readonly captcha: Captcha
  readonly failures: FailuresInARow
  readonly keys: Pick<KeySet, 'dataKey'>
}

/** Of the second factor, over all addresses. */
export const wrongCodes: Limit = { attempts: 5, windowSeconds: 900 }

/** The limit of a count, by the settings in force. */
export function limitOf({ login }: Pick<Config, 'login'>, count: CountName): Limit {
  const { perUsername, perAddress, captchaAfter } = login
  return {
    login: perUsername,
    address: perAddress,
    captcha: { attempts: captchaAfter, windowSeconds: perUsername.windowSeconds },
    second_factor: wrongCodes,
  }[count]
}

/** Whether a place of the count lapses when its process is gone: see `Count`. */
export function lapses(count: CountName): boolean {
  return count === 'address'
}

export function createLoginLimits(deps: LoginLimitsDeps): LoginLimits {
  const { config, events, captcha, failures } = deps
  const places = createPlaces(deps)
  const throttleKeys = createThrottleKeys(deps.keys)

  return {
    async attempt(login, work) {
      const { always, withoutCaptcha } = countsOf(login)
      let answer = await places.take([...always, withoutCaptcha])
      if ('full' in answer && answer.full === withoutCaptcha) {
        if (!(await captcha.accepts(login.captcha))) throw await captchaRequired()
        answer = await places.take([...always, unlimited(withoutCaptcha)])
      }
      if ('full' in answer) throw tooMany(answer)
      return attempted(deps, settling(answer.place, login), work)
    },

    async attemptCode(login, work) {
      const { always, withoutCaptcha } = countsOf(login)
      const answer = await places.take([...always, unlimited(withoutCaptcha)])
      if ('full' in answer) throw tooMany(answer)
      return attempted(deps, settling(answer.place, login), work)
    },

    async pass(login) {
      const { always, withoutCaptcha } = countsOf(login)
      const refusal = await places.pass([...always, withoutCaptcha])
      if (refusal?.full === withoutCaptcha) throw await captchaRequired()
      if (refusal) throw tooMany(refusal)
    },
  }

  /** In the order in which they refuse. */
  function countsOf({ username, address: client }: LoginTry) {
    const address = throttledAddress(client)
    const always: Count[] = [
      {
        key: throttleKeys.login(username, address),
        limit: limitOf(config, 'login'),
        forgives: true,
        lapses: lapses('login'),
      },
      {
        key: throttleKeys.address(address),
        limit: limitOf(config, 'address'),
        forgives: false, // a success of one's own must not buy tries on the accounts of others
        lapses: lapses('address'),
      },
    ]
    const withoutCaptcha: Count = {
      key: throttleKeys.captcha(username, address),
      limit: limitOf(config, 'captcha'),
      forgives: true,
      lapses: lapses('captcha'),
    }
    return { always, withoutCaptcha }
  }

  function tooMany(full: Full): ApiError {
    events.tell(loginFailMax, {})
    return tooManyAttempts(full)
  }

  async function captchaRequired(): Promise<ApiError> {
    return new ApiError('captchaRequired', { extra: { captcha: await captcha.challenge() } })
  }

  /** The verdict counts for the account too, in the same transaction: unknown names cost the same. */
  function settling(place: TakenPlace, { username, isIncomplete = false }: LoginTry): Settling {
    if (username === null || isIncomplete) return { place, events }
    return {
      place,
      events,
      async failed(trx) {
        const locked = await failures.failed(trx, username)
        if (locked !== null) await events.record(trx, loginLock, { user_id: locked })
      },
      succeeded: (trx, account) => failures.succeeded(trx, username, account),
    }
  }
}

/**
 * The try is counted and not limited: a solved challenge stands in for room. Where captchas are off
 * nothing is counted.
 */
function unlimited(count: Count): Count {
  if (count.limit.attempts === 0) return count
  return { ...count, limit: { ...count.limit, attempts: Number.POSITIVE_INFINITY } }
}
