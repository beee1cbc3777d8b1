import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../../core/database/transactions.ts'
import { refuseField } from '../../../core/errors.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import { byTypedPassword, type PasswordMethodDeps } from '../../accounts/password-method.ts'
import type { Account } from '../../authentication/account.ts'
import { type AuthenticateDeps, authenticate } from '../../authentication/attempt.ts'
import type { Completion, Result } from '../../authentication/completion.ts'
import type { Evidence } from '../../authentication/evidence.ts'
import type { Step } from '../../authentication/requirement-table.ts'
import type { Requirements } from '../../authentication/requirements.ts'
import type { Devices } from '../../devices/devices.ts'
import { flowExpired, type PageFlow, type PageFlows } from '../../flows/flows.ts'
import { evidenceOf, passTowards, provenOf, type SignInData } from '../../flows/sign-in-flow.ts'
import { takePasswordChange, takeSecondFactor } from '../../login/steps.ts'
import type { Passwords } from '../../passwords/passwords.ts'
import type { NewSession } from '../../sessions/sessions.ts'
import type { Attempt } from '../../throttle/attempt.ts'
import type { KnownDevice, LoginLimits } from '../../throttle/limits.ts'
import type { Proof, SecondFactor } from '../../totp/second-factor.ts'
import { identify, named } from './identifier.ts'

export type SignInFlow = PageFlow<SignInData>

/** Where an attempt comes from, and what a complete sign-in gives. */
export interface SigningIn {
  /** The client's address, for the limits. */
  readonly address: string
  readonly result: Result<NewSession, string>
  /** Done in the transaction that takes the flow further: it uses up what was proved. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

export interface SignInInput {
  readonly username: string
  readonly password: string
  readonly captcha: string | undefined
}

/**
 * The sign-in on the pages: the requirements that decide a login (authentication/requirements.ts)
 * name the next step, and each request takes one. The flow keeps what was proved; there is no
 * session before the last step. Each function answers the flow at its next step, or null if the
 * person is signed in, and throws what the same step of POST /login does. docs/adr/0059
 */
export interface SignInPipeline {
  /** @throws ApiError invalidCredentials, captchaRequired, tooManyLoginAttempts */
  password(flow: SignInFlow, sent: SignInInput, by: SigningIn): Promise<SignInFlow | null>
  /** @throws ApiError secondFactorRequired, invalidCredentials, tooManyLoginAttempts */
  secondFactor(flow: SignInFlow, proof: Proof, by: SigningIn): Promise<SignInFlow | null>
  /** @throws ApiError passwordChangeRequired, validationFailed */
  newPassword(
    flow: SignInFlow,
    password: string | undefined,
    by: SigningIn,
  ): Promise<SignInFlow | null>
  /** Confirms the enrolment with its first code. @throws ApiError as `confirm` of SecondFactor */
  enrolment(flow: SignInFlow, code: unknown): Promise<SignInFlow>
  /** Goes on after the recovery codes were shown. */
  recoveryCodes(flow: SignInFlow, by: SigningIn): Promise<SignInFlow | null>
  /** Takes what another method has proved as the first proof of the flow. */
  proved(
    flow: SignInFlow,
    evidence: Evidence,
    attempt: Attempt | null,
    by: SigningIn,
  ): Promise<never | null>
}

export interface PipelineDeps extends AuthenticateDeps, PasswordMethodDeps {
  readonly accounts: Pick<
    Accounts,
    'byUsername' | 'byEmail' | 'byUserId' | 'replacePassword' | 'reread'
  >
  readonly completion: Completion
  readonly devices: Pick<Devices, 'ofBrowser'>
  readonly limits: Pick<LoginLimits, 'attempt' | 'attemptCode'>
  readonly pageFlows: Pick<PageFlows, 'advance' | 'end'>
  readonly passwords: Pick<Passwords, 'hash' | 'isOutdated' | 'verify'>
  readonly requirements: Pick<Requirements, 'pass' | 'refuse'>
  readonly secondFactor: Pick<SecondFactor, 'begin' | 'confirm' | 'prove'>
}

/**
 * Thrown inside an attempt when a step is left, so that the attempt counts neither as a failure nor
 * as a success: a right password alone must not clear the failures of an account.
 */
class NextStep extends Error {
  readonly flow: SignInFlow

  constructor(flow: SignInFlow) {
    super('a step of the sign-in is left')
    this.flow = flow
  }
}

/** Answers the flow at its next step if the work has thrown it; null if the work has returned. */
export async function orNextStep(work: () => Promise<unknown>): Promise<SignInFlow | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof NextStep) return error.flow
    throw error
  }
}

/** The browser of a sign-in, if it is a device of the account, for the limits. */
export async function deviceOf(
  { devices }: Pick<PipelineDeps, 'devices'>,
  userId: number,
  { result: { browser } }: Pick<SigningIn, 'result'>,
): Promise<KnownDevice | null> {
  const digest = browser === undefined ? null : await devices.ofBrowser(userId, browser)
  return digest === null ? null : { userId, digest }
}

export function createSignInPipeline(deps: PipelineDeps): SignInPipeline {
  const { accounts, completion, db, limits, pageFlows, passwords, requirements, secondFactor } =
    deps

  return {
    async password(flow, { username: typed, password, captcha }, by) {
      const { again } = flow.data
      const { names, account } =
        again === null ? await identify(accounts, typed) : await named(accounts, again)
      const authentication = byTypedPassword(deps, {
        ...{ username: again ?? typed, password, captcha, names },
        address: by.address,
        device: await deviceOf(deps, account?.userId ?? 0, by),
      })
      return orNextStep(() =>
        authenticate(deps, authentication, (evidence, attempt) =>
          proceed(flow, evidence, attempt, by),
        ),
      )
    },

    async secondFactor(flow, proof, by) {
      const evidence = await shown(flow)
      return counted(evidence, by, async (attempt) => {
        const isAsked = next(flow, evidence) === 'second_factor' // it may have been removed
        const proven = isAsked ? await takeSecondFactor(deps, evidence, proof, attempt) : evidence
        return proceed(flow, proven, attempt, by)
      })
    },

    async newPassword(flow, newPassword, by) {
      const evidence = await shown(flow)
      return counted(evidence, by, async (attempt) => {
        const isAsked = next(flow, evidence) === 'password_change'
        if (isAsked && newPassword !== undefined) await assertAnother(evidence, newPassword)
        const changed = isAsked
          ? await takePasswordChange(deps, evidence, { newPassword })
          : evidence
        return proceed(flow, changed, attempt, by)
      })
    },

    async enrolment(flow, code) {
      const evidence = await shown(flow)
      const { account } = evidence
      const codes = await secondFactor.confirm(account, code, { guard: stillThere(account) })
      const now = await accounts.byUserId(account.userId)
      // The factor has ended all logins once; another end since then is meant for this one too.
      const before = { refreshVersion: account.refreshVersion + 1 }
      if (!now) throw flowExpired('page_flow_moved_on')
      requirements.refuse('ticket', { account: now, since: { now, before } })
      const amr = [...evidence.amr, 'otp', 'mfa'] as const
      const proven = { account: now, amr, authTime: evidence.authTime }
      return moveOn(flow, 'recovery_codes', proven, { recoveryCodes: codes })
    },

    async recoveryCodes(flow, by) {
      const evidence = await shown(flow)
      return counted(evidence, by, (attempt) => proceed(flow, evidence, attempt, by))
    },

    proved: proceed,
  }

  /** What was proved, of the account as it is now. @throws ApiError signInFailed if it has changed */
  async function shown({ data: { proven }, userId }: SignInFlow): Promise<Evidence> {
    const account = userId === null ? null : await accounts.byUserId(userId)
    if (!account || !proven) throw flowExpired('page_flow_unknown')
    requirements.refuse('ticket', { account, since: { now: account, before: proven } })
    return evidenceOf(account, proven)
  }

  function next(flow: SignInFlow, evidence: Evidence): Step | null {
    const passed = pass(flow, evidence)
    return typeof passed === 'string' ? passed : null
  }

  function pass({ data: { column: stage }, returnTo }: SignInFlow, evidence: Evidence) {
    return passTowards(returnTo, requirements.pass(stage, evidence), evidence)
  }

  /** Runs the work as an attempt of the account: see `attemptCode`. */
  async function counted(
    { account: { userId, username } }: Evidence,
    by: SigningIn,
    work: (attempt: Attempt) => Promise<unknown>,
  ): Promise<SignInFlow | null> {
    const device = await deviceOf(deps, userId, by)
    return orNextStep(() => limits.attemptCode({ username, address: by.address, device }, work))
  }

  /** Signs in, which ends the flow, or throws the flow at the step that is left. */
  async function proceed(
    flow: SignInFlow,
    evidence: Evidence,
    attempt: Attempt | null,
    { result, also }: SigningIn,
  ): Promise<null> {
    const passed = pass(flow, evidence)
    if (typeof passed === 'string') throw new NextStep(await stepOf(flow, passed, evidence, also))
    await completion.complete(passed, attempt, {
      ...result,
      async issue(trx, present) {
        await also?.(trx)
        await pageFlows.end(trx, flow)
        return result.issue(trx, present)
      },
    })
    return null
  }

  async function stepOf(
    flow: SignInFlow,
    step: Step,
    evidence: Evidence,
    also: SigningIn['also'],
  ): Promise<SignInFlow> {
    if (step !== 'enrolment') return moveOn(flow, step, evidence, {}, also)
    // If the account was locked meanwhile, it must not show that the proof was right.
    const account = await accounts.reread(db, evidence.account, commitOf(flow))
    const { secret, uri } = await secondFactor.begin(account, stillThere(account))
    return moveOn(flow, step, evidence, { enrolment: { secret, uri } }, also)
  }

  /** Takes the flow to a step, unless the account has changed since the proof. */
  function moveOn(
    flow: SignInFlow,
    step: Step | 'recovery_codes',
    evidence: Evidence,
    more: Pick<SignInData, 'enrolment' | 'recoveryCodes'> = {},
    also?: SigningIn['also'],
  ): Promise<SignInFlow> {
    const { column, again } = flow.data
    const { userId } = evidence.account
    const data: SignInData = { column, again, proven: provenOf(evidence), ...more }
    return transact(db, [lockName.account(userId)], async (trx) => {
      await accounts.reread(trx, evidence.account, commitOf(flow))
      await also?.(trx)
      return pageFlows.advance<SignInData>(trx, flow, { step, data, userId })
    })
  }

  /** Refuses a change of an account that has changed since it was read. */
  function stillThere(account: Account): Guard {
    return {
      lockNames: () => [],
      async authorize(trx) {
        await accounts.reread(trx, account, 'commit')
      },
    }
  }

  /**
   * Only for who has proved the present password: others could guess at it here without limit.
   * @throws ApiError validationFailed if the new password is the present one
   */
  async function assertAnother({ account, amr }: Evidence, password: string): Promise<void> {
    if (!amr.includes('pwd')) return
    const { matches } = await passwords.verify(password, account.passwordHash)
    if (matches) refuseField(['new_password'], 'must differ from the present one')
  }
}

function commitOf({ data: { column: stage } }: SignInFlow) {
  return stage === 'login' ? 'commit' : 'providerCommit'
}
