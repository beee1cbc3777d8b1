import type { Attempt, Failure } from '../throttle/attempt.ts'
import type { LoginAttempt, LoginLimits } from '../throttle/limits.ts'
import { loginFail } from './events.ts'
import type { Evidence } from './evidence.ts'
import type { Requirements } from './requirements.ts'

/** Only proves the account; decides nothing else. */
export interface Method {
  /** Slow work before the limits count the attempt. */
  prepare?(): Promise<void>
  /**
   * @throws ApiError invalidCredentials for a wrong guess; another error does not count as a guess
   */
  prove(attempt: Attempt): Promise<Evidence>
  /**
   * Slow work must check the requirements again first: the account may be locked in the meantime.
   * @throws ApiError invalidCredentials
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
  /** Default: `login`. */
  readonly stage?: 'login' | 'passkey'
  /** For a wrong guess; default: a failed login. */
  readonly failure?: Failure['event']
}

/**
 * The limits count the attempt, the method returns evidence, and the stage may refuse. Then
 * the work may settle the attempt. Any result except `invalidCredentials` reveals that the proof
 * was right, so the work must read the account again first. @throws ApiError
 */
export async function authenticate<T>(
  { limits, requirements }: AuthenticateDeps,
  { login, method, stage = 'login', failure = loginFail }: Authentication,
  work: (evidence: Evidence, attempt: Attempt) => Promise<T>,
): Promise<T> {
  await method.prepare?.()
  return limits.attempt(login, async (attempt) => {
    attempt.onFailure({ event: failure })
    const evidence = await method.prove(attempt)
    attempt.onFailure({ userId: evidence.account.userId })
    requirements.refuse(stage, evidence)
    await method.accepted?.(evidence)
    return work(evidence, attempt)
  })
}
