import type { Needs } from '../../core/module/services.ts'
import {
  type AuthenticateDeps,
  type Authentication,
  authenticate,
} from '../authentication/attempt.ts'
import type { Result } from '../authentication/completion.ts'
import type { PasskeyLogin } from '../passkeys/passkey-login.ts'
import { type LoginInput, meetRequirements, type StepDeps } from './steps.ts'

export type LogInDeps = AuthenticateDeps & StepDeps & Pick<Needs, 'completion' | 'requirements'>

export interface Login extends Pick<Authentication, 'login' | 'method' | 'stage'> {
  /** Fields for later steps. */
  readonly sent: LoginInput
}

/**
 * One transaction stores the result and marks the attempt as succeeded. @throws ApiError of limits,
 * method, requirements and steps
 */
export function logIn<Issued, Answer>(
  deps: LogInDeps,
  { sent, ...authentication }: Login,
  result: Result<Issued, Answer>,
): Promise<Answer> {
  const { stage = 'login' } = authentication
  return authenticate(deps, authentication, async (evidence, attempt) => {
    const passed = await meetRequirements(deps, evidence, { sent, stage }, attempt)
    return deps.completion.complete(passed, attempt, result)
  })
}

/** A passkey meets all requirements of its stage alone. */
export function logInByPasskey<Issued, Answer>(
  deps: LogInDeps & Pick<Needs, 'passkeyLimits'>,
  { authentication, use }: PasskeyLogin,
  result: Result<Issued, Answer>,
): Promise<Answer> {
  const counted = { ...deps, limits: deps.passkeyLimits }
  const sent = { newPassword: undefined }
  return logIn(
    counted,
    { ...authentication, sent },
    {
      ...result,
      async issue(trx, present) {
        await use(trx)
        return result.issue(trx, present)
      },
    },
  )
}
