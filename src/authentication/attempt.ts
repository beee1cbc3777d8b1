import type { Attempt, Failure } from '../throttle/attempt.ts'
import type { LoginLimits, LoginTry } from '../throttle/limits.ts'
import { loginFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Requirements } from './requirements.ts'

/** One way to prove an account: a password, a header of a proxy. It finds out, and decides nothing. */
export interface Method {
  /** Before the attempt takes its places: what may take a while, once. */
  prepare?(): Promise<void>
  /** @throws ApiError invalidCredentials for a guess; any other error is no verdict */
  prove(attempt: Attempt): Promise<Evidence>
  /**
   * Once the requirements have refused nothing. What takes a while must ask them again before it: the
   * account may have been locked meanwhile. @throws ApiError invalidCredentials where it was
   */
  accepted?(evidence: Evidence): Promise<void>
}

export interface AuthenticateDeps {
  readonly limits: Pick<LoginLimits, 'attempt'>
  readonly requirements: Pick<Requirements, 'refuse'>
}

export interface Authentication {
  readonly login: LoginTry
  readonly method: Method
  /** What a guess is told as; a failed login where it is absent. */
  readonly failure?: Failure['event']
}

/**
 * The one way from a method to what was asked for: an attempt with its places, the evidence of the
 * method, and what the column `login` refuses; then the work, which may settle the attempt. What the
 * work answers but a refusal as of a wrong password tells that the proof was right: it asks the
 * account again before.
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
