import type { Needs } from '../../core/module/services.ts'
import { type AuthenticateDeps, authenticate, type Method } from '../authentication/attempt.ts'
import type { Result } from '../authentication/completion.ts'
import type { LoginAttempt } from '../throttle/limits.ts'
import { type LoginInput, meetRequirements, type StepDeps } from './steps.ts'

export type LogInDeps = AuthenticateDeps & StepDeps & Pick<Needs, 'completion' | 'requirements'>

export interface Login {
  readonly login: LoginAttempt
  readonly method: Method
  /** Fields for later steps. */
  readonly sent: LoginInput
}

/**
 * One transaction stores the result and marks the attempt as succeeded. @throws ApiError of limits,
 * method, requirements and steps
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
