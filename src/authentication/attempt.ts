import type { Attempt, Failure } from '../throttle/attempt.ts'
import type { LoginAttempt, LoginLimits } from '../throttle/limits.ts'
import { loginFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Requirements } from './requirements.ts'

/** One way to log in, such as a password. It finds out whose account it is, and decides nothing. */
export interface Method {
  /** Called before the attempt takes its places: work that may take a while now and then. */
  prepare?(): Promise<void>
  /** @throws ApiError invalidCredentials for a guess; any other error is no verdict */
  prove(attempt: Attempt): Promise<Evidence>
  /**
   * Called when the requirements have refused nothing. Work that takes a while must ask them again
   * first: the account may have been locked meanwhile. @throws ApiError invalidCredentials if it was
   */
  accepted?(evidence: Evidence): Promise<void>
}

export interface AuthenticateDeps {
  readonly limits: Pick<LoginLimits, 'attempt'>
  readonly requirements: Pick<Requirements, 'refuse'>
}

export interface Authentication {
  readonly login: LoginAttempt
  readonly method: Method
  /** The event of a guess; the default is a failed login. */
  readonly failure?: Failure['event']
}

/**
 * Runs a method of login: takes the places of an attempt, asks the method for its evidence and refuses
 * what the column `login` refuses. Then it runs the work, which may settle the attempt. Any answer of
 * the work except `invalidCredentials` tells that the proof was right, so the work reads the account
 * again before it gives one.
 * @throws ApiError what the limits, the method and the requirements refuse; and what the work throws
 */
export async function authenticate<T>(
  { limits, requirements }: AuthenticateDeps,
  { login, method, failure = loginFail }: Authentication,
  work: (evidence: Evidence, attempt: Attempt) => Promise<T>,
): Promise<T> {
  await method.prepare?.()
  return limits.attempt(login, async (attempt) => {
    attempt.failsAs({ event: failure })
    const evidence = await method.prove(attempt)
    attempt.failsAs({ userId: evidence.account.userId })
    requirements.refuse('login', evidence)
    await method.accepted?.(evidence)
    return work(evidence, attempt)
  })
}
