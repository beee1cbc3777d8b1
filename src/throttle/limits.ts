import type { Config } from '../config.ts'
import type { DatabaseOrTransaction } from '../database/connect.ts'
import type { Events } from '../events/events.ts'
import { throttledAddress } from '../http/client-address.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Username } from '../kernel/username.ts'
import type { KeySet } from '../keys/key-set.ts'
import type { Captcha } from './captcha.ts'
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
   * Before a password is looked at: a place in every count, or a refusal.
   * @throws ApiError tooManyLoginAttempts, captchaRequired
   */
  admit(login: LoginTry): Promise<TakenPlace>
  /**
   * The same before a code that comes behind another proof than a password: a page that asks for the
   * code alone has no room for a captcha. The try counts towards one. @throws ApiError tooManyLoginAttempts
   */
  admitCode(login: LoginTry): Promise<TakenPlace>
  /** For a password that need not be verified again. @throws ApiError as `admit` */
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

/** Failures in a row, over all addresses; counted in the transaction that settles the places. */
export interface FailuresInARow {
  /** Answers the user whom this failure, and no other, has locked. */
  failed(trx: DatabaseOrTransaction, username: Username): Promise<number | null>
  /** Starts anew, unless they have locked the account in the meantime: a lock stays. */
  succeeded(trx: DatabaseOrTransaction, username: Username): Promise<void>
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
    async admit(login) {
      const { always, withoutCaptcha } = countsOf(login)
      let answer = await places.take([...always, withoutCaptcha])
      if ('full' in answer && answer.full === withoutCaptcha) {
        if (!(await captcha.accepts(login.captcha))) throw await captchaRequired()
        answer = await places.take([...always, unlimited(withoutCaptcha)])
      }
      if ('full' in answer) throw tooMany(answer, login)
      return withFailures(answer.place, login)
    },

    async admitCode(login) {
      const { always, withoutCaptcha } = countsOf(login)
      const answer = await places.take([...always, unlimited(withoutCaptcha)])
      if ('full' in answer) throw tooMany(answer, login)
      return withFailures(answer.place, login)
    },

    async pass(login) {
      const { always, withoutCaptcha } = countsOf(login)
      const refusal = await places.pass([...always, withoutCaptcha])
      if (refusal?.full === withoutCaptcha) throw await captchaRequired()
      if (refusal) throw tooMany(refusal, login)
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

  function tooMany(full: Full, { address }: LoginTry): ApiError {
    events.record('authn_login_fail_max', { address })
    return tooManyAttempts(full)
  }

  async function captchaRequired(): Promise<ApiError> {
    return new ApiError('captchaRequired', { extra: { captcha: await captcha.challenge() } })
  }

  /** The verdict counts for the account too, in the same transaction: unknown names cost the same. */
  function withFailures(place: TakenPlace, login: LoginTry): TakenPlace {
    const { username, address, isIncomplete = false } = login
    if (username === null || isIncomplete) return place
    return {
      takenAt: place.takenAt,
      async keep() {
        let locked = null as number | null // set by what runs in the transaction
        await place.keep(async (trx) => {
          locked = await failures.failed(trx, username)
        })
        if (locked !== null) events.record('authn_login_lock', { user_id: locked, address })
      },
      clear: () => place.clear((trx) => failures.succeeded(trx, username)),
      giveBack: place.giveBack,
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
