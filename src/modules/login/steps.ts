import { ApiError, refuseField } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { commitStages } from '../authentication/completion.ts'
import { loginFail } from '../authentication/events.ts'
import type { Evidence } from '../authentication/evidence.ts'
import type { SentFactor } from '../authentication/proofs.ts'
import type { Step } from '../authentication/requirement-table.ts'
import type { Passed } from '../authentication/requirements.ts'
import { loginPurpose } from '../factors/kinds.ts'
import { assertOtherPassword } from '../passwords/rules.ts'
import type { Attempt } from '../throttle/attempt.ts'

/** Empty form fields count as absent. */
export interface LoginInput extends SentFactor {
  /** Absent if the method used no password. */
  readonly password?: string
  readonly newPassword: string | undefined
}

export type StepDeps = Pick<Needs, 'accounts' | 'db' | 'factors' | 'requirements' | 'tokens'>

/** @throws ApiError as `prove` of `Factors` */
export async function takeSecondFactor(
  { factors }: Pick<StepDeps, 'factors'>,
  evidence: Evidence,
  { sent, purpose = loginPurpose }: { readonly sent: SentFactor; readonly purpose?: string },
  attempt: Attempt,
): Promise<Evidence> {
  // The factors record wrong proofs. The request for a factor already shows that the password was
  // right, so no delay.
  attempt.onFailure({ event: null, wait: null })
  const amr = await factors.prove(evidence.account, sent, { purpose })
  attempt.onFailure({ event: loginFail })
  return { ...evidence, amr: [...evidence.amr, ...amr] }
}

/** @throws ApiError passwordChangeRequired without a new password; validationFailed */
export async function takePasswordChange(
  { accounts }: Pick<StepDeps, 'accounts'>,
  evidence: Evidence,
  { newPassword, password }: Pick<LoginInput, 'newPassword' | 'password'>,
): Promise<Evidence> {
  if (newPassword === undefined) {
    const facts = { user_id: evidence.account.userId }
    const reason = { code: 'password_change_absent', facts } as const
    throw new ApiError('passwordChangeRequired', { reason })
  }
  const wanted = { text: newPassword, field: 'new_password' }
  if (password !== undefined) assertOtherPassword(wanted.text, password, wanted.field)
  return { ...evidence, account: await accounts.replacePassword(evidence.account, wanted) }
}

/**
 * Repeats until all requirements are met. @throws ApiError secondFactorRequired,
 * passwordChangeRequired, enrolmentRequired for a missing field; invalidCredentials,
 * validationFailed, tooManyLoginAttempts for a wrong field
 */
export async function meetRequirements(
  deps: StepDeps,
  first: Evidence,
  { sent, stage }: { readonly sent: LoginInput; readonly stage: 'login' | 'passkey' },
  attempt: Attempt,
): Promise<Passed<'login' | 'passkey'>> {
  const { accounts, db, requirements, tokens } = deps

  const steps: Record<Step, (evidence: Evidence) => Promise<Evidence>> = {
    second_factor: (evidence) => takeSecondFactor(deps, evidence, { sent }, attempt),
    password_change: (evidence) => takePasswordChange(deps, evidence, sent),

    async enrolment({ account, ...authentication }) {
      throw new ApiError('enrolmentRequired', {
        extra: { enrolment_token: await tokens.issueEnrolment(account, authentication) },
        reason: { code: 'enrolment_due', facts: { user_id: account.userId } },
      })
    },
  }

  let evidence = first
  let isChanged = false
  // Throws if the account was locked in between: the response must not show that the proof was
  // right.
  const reread = async () => ({
    ...evidence,
    account: await accounts.reread(db, evidence.account, commitStages[stage]),
  })
  for (;;) {
    const next = requirements.pass(stage, evidence)
    // After the second factor only: otherwise the response shows which accounts must change
    // passwords.
    const isSuperfluous = next !== 'second_factor' && next !== 'password_change'
    if (sent.newPassword && !isChanged && isSuperfluous) {
      await reread()
      refuseField(['new_password'], {
        en: 'is for an account that must change its password',
        de: 'ist für ein Konto, das sein Passwort ändern muss',
      })
    }
    if (typeof next !== 'string') return next
    evidence = await steps[next](await reread())
    isChanged ||= next === 'password_change'
  }
}
