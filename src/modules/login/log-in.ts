import type { Needs } from '../../core/module/services.ts'
import { type AuthenticateDeps, authenticate, type Method } from '../authentication/attempt.ts'
import type { Result } from '../authentication/completion.ts'
import type { LoginAttempt } from '../throttle/limits.ts'
import { type LoginInput, meetRequirements, type StepDeps } from './steps.ts'

export type LogInDeps = AuthenticateDeps & StepDeps & Pick<Needs, 'completion' | 'requirements'>

export interface Login {
  readonly login: LoginAttempt
  readonly method: Method
  /** The further fields of the request, for the steps that may follow. */
  readonly sent: LoginInput
}

/**
 * Runs a login: a method gives evidence, the steps meet the requirements, and the completion gives
 * the result. One transaction stores the result and settles the attempt as succeeded.
 * @throws ApiError what the limits, the method, the requirements and the steps refuse
 */
export function logIn<Issued, Answer>(
  deps: LogInDeps,
  { login, method, sent }: Login,
  result: Result<Issued, Answer>,
): Promise<Answer> {
  return authenticate(deps, { login, method }, async (evidence, attempt) => {
    const passed = await meetRequirements(deps, evidence, sent, attempt)
    return deps.completion.complete(passed, attempt, result)
  })
}
