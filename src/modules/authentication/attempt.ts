import type { Attempt, Failure } from '../throttle/attempt.ts'
import type { LoginAttempt, LoginLimits } from '../throttle/limits.ts'
import { loginFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Requirements } from './requirements.ts'

/**
 * One way to log in, such as a password. It proves whose account it is; it decides nothing else.
 */
export interface Method {
  /** Called before the limits count the attempt, for work that may sometimes take a while. */
  prepare?(): Promise<void>
  /**
   * @throws ApiError invalidCredentials for a wrong guess; another error does not count as a guess
   */
  prove(attempt: Attempt): Promise<Evidence>
  /**
   * Called when the requirements have refused nothing. Work that takes a while must ask them again
   * first: the account may have been locked meanwhile. @throws ApiError invalidCredentials if it
   * was
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
  /** The event of a wrong guess; the default is a failed login. */
  readonly failure?: Failure['event']
}

/**
 * Runs a method of login: the limits count the attempt, the method gives its evidence, and the
 * stage `login` may refuse. Then it runs the work, which may settle the attempt. Any answer of the
 * work except `invalidCredentials` shows that the proof was right, so the work reads the account
 * again before it gives one.
 * @throws ApiError what the limits, the method and the requirements refuse; and what the work
 * throws
 */
export async function authenticate<T>(
  { limits, requirements }: AuthenticateDeps,
  { login, method, failure = loginFail }: Authentication,
  work: (evidence: Evidence, attempt: Attempt) => Promise<T>,
): Promise<T> {
  await method.prepare?.()
  return limits.attempt(login, async (attempt) => {
    attempt.onFailure({ event: failure })
    const evidence = await method.prove(attempt)
    attempt.onFailure({ userId: evidence.account.userId })
    requirements.refuse('login', evidence)
    await method.accepted?.(evidence)
    return work(evidence, attempt)
  })
}
