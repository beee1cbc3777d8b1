import { type Guard, lockName, transact } from '../../../core/database/transactions.ts'
import { refuseField } from '../../../core/errors.ts'
import type { Needs } from '../../../core/module/services.ts'
import { byTypedPassword } from '../../accounts/password-method.ts'
import type { Account } from '../../authentication/account.ts'
import { authenticate } from '../../authentication/attempt.ts'
import { commitStages } from '../../authentication/completion.ts'
import type { Evidence } from '../../authentication/evidence.ts'
import type { Step } from '../../authentication/requirement-table.ts'
import { factorOfForm } from '../../factors/kinds.ts'
import { flowExpired } from '../../flows/flows.ts'
import {
  evidenceOf,
  passTowards,
  provenOf,
  type SignInData,
  type SignInStep,
  type StepsOfWays,
} from '../../flows/sign-in-flow.ts'
import { takePasswordChange, takeSecondFactor } from '../../login/steps.ts'
import { byPasskey } from '../../passkeys/passkey-login.ts'
import { parsed, passkeyAmr } from '../../passkeys/passkeys.ts'
import { suggestedName } from '../../passkeys/suggested-name.ts'
import type { Attempt } from '../../throttle/attempt.ts'
import type { KnownDevice, LoginLimits } from '../../throttle/limits.ts'
import { totpAmr, withoutSpaces } from '../../totp/kind.ts'
import { identify, named } from './identifier.ts'
import { noteDevice } from './note-device.ts'
import { onlyUser, purposeOf } from './passkeys.ts'
import type { Proceed, RememberedDevices, SignInFlow, SigningIn, TakeStep } from './ways.ts'

type OwnStep = Exclude<SignInStep, keyof StepsOfWays>

export type PipelineNeeds = Pick<
  Needs,
  | 'accounts'
  | 'clock'
  | 'completion'
  | 'config'
  | 'db'
  | 'devices'
  | 'factorKinds'
  | 'factors'
  | 'limits'
  | 'pageFlows'
  | 'passkeyEnrolment'
  | 'passkeyLimits'
  | 'passkeys'
  | 'passwords'
  | 'requirements'
  | 'totp'
  | 'verifier'
>

/** Null if the browser is no known device of the account. */
export async function deviceOf(
  { devices }: Pick<Needs, 'devices'>,
  userId: number,
  { result: { browser } }: Pick<SigningIn, 'result'>,
): Promise<KnownDevice | null> {
  const digest = browser === undefined ? null : await devices.ofBrowser(userId, browser)
  return digest === null ? null : { userId, digest }
}

/**
 * The requirements (authentication/requirements.ts) name the next step; each request takes one
 * step. The flow keeps the proofs; the last step creates the session. docs/adr/0059
 */
export function createSignInPipeline(
  deps: PipelineNeeds,
  remembered: RememberedDevices | null = null,
): {
  readonly proceed: Proceed
  readonly steps: Readonly<Record<OwnStep, TakeStep>>
} {
  const { accounts, completion, config, db, factors, limits, pageFlows } = deps
  const { passkeyEnrolment, passkeyLimits, passwords, requirements, totp } = deps

  return {
    proceed,
    steps: {
      async password(flow, _request, by, field) {
        if (field('passkey') !== '') return takePasskey(flow, by, field('passkey'))
        const { again } = flow.data
        const typed = field('username')
        const { names, account } =
          again === null ? await identify(accounts, typed) : await named(accounts, again)
        const authentication = byTypedPassword(deps, {
          username: again ?? typed,
          password: field('password'),
          captcha: field('captcha') || undefined,
          names,
          address: by.address,
          device: await deviceOf(deps, account?.userId ?? 0, by),
        })
        const keepSignedIn = again === null && field('keep_signed_in') === '1'
        const kept = having(flow, { keepSignedIn })
        return authenticate(deps, authentication, async (evidence, attempt) =>
          proceed(kept, await withDevice(kept, evidence, by), attempt, by),
        )
      },

      second_factor(flow, _request, by, field) {
        const sent = factorOfForm(deps.factorKinds(), field)
        // Wrong passkeys lock no account.
        const counted = factors.isBothFactors(sent) ? passkeyLimits.attempt : limits.attemptCode
        const how = { sent, purpose: purposeOf(flow) }
        const rememberDevice = field('remember_device') === '1'
        return takeStep(
          having(flow, { rememberDevice }),
          by,
          (evidence, attempt) => takeSecondFactor(deps, evidence, how, attempt),
          counted,
        )
      },

      password_change(flow, _request, by, field) {
        const newPassword = field('new_password')
        if (newPassword !== field('new_password_again')) {
          refuseField(['new_password_again'], {
            en: 'must be the same twice',
            de: 'muss zweimal gleich sein',
          })
        }
        return takeStep(flow, by, async (evidence) => {
          if (newPassword !== '') await assertAnother(evidence, newPassword)
          return takePasswordChange(deps, evidence, { newPassword: newPassword || undefined })
        })
      },

      async enrolment(flow, request, _by, field) {
        const evidence = await shown(flow)
        const { account } = evidence
        const guard = unchanged(account)
        const { codes, amr: added } =
          field('passkey') === ''
            ? {
                codes: await totp.confirm(account, withoutSpaces(field('totp')), { guard }),
                amr: totpAmr,
              }
            : await addPasskey(flow, account, {
                sent: parsed(field('passkey')),
                name: suggestedName(request),
              })
        const now = await accounts.byUserId(account.userId)
        // The new factor has ended all logins once; a further end must stop this sign-in.
        const before = { refreshVersion: account.refreshVersion + 1 }
        if (!now) throw flowExpired('page_flow_moved_on')
        requirements.refuse('ticket', { account: now, since: { now, before } })
        const amr = [...evidence.amr, ...added]
        const proven = { account: now, amr, authTime: evidence.authTime }
        return advance(flow, 'recovery_codes', proven, { recoveryCodes: codes })
      },

      recovery_codes: (flow, _request, by) => takeStep(flow, by, async (evidence) => evidence),
    },
  }

  /** Proves the account and both factors. */
  async function takePasskey(
    flow: SignInFlow,
    by: SigningIn,
    sent: string,
  ): Promise<SignInFlow | null> {
    const userId = await onlyUser(deps, flow)
    const given = { sent, purpose: purposeOf(flow), address: by.address, userId }
    const { authentication, use } = byPasskey(deps, given)
    const counted = { limits: passkeyLimits, requirements }
    const data: SignInData = { ...flow.data, column: 'passkey' }
    return authenticate(counted, authentication, (evidence, attempt) =>
      proceed({ ...flow, data }, evidence, attempt, { ...by, also: use }),
    )
  }

  async function addPasskey(
    flow: SignInFlow,
    account: Account,
    made: { readonly sent: unknown; readonly name: string },
  ) {
    const { passkey, recoveryCodes: codes } = await passkeyEnrolment.finish(
      account,
      { ...made, caller: purposeOf(flow) },
      { guard: unchanged(account) },
    )
    return { codes, amr: passkeyAmr(passkey.isBackupEligible) }
  }

  /** Counts as an attempt; skips a step that is no longer required. */
  async function takeStep(
    flow: SignInFlow,
    by: SigningIn,
    prove: (evidence: Evidence, attempt: Attempt) => Promise<Evidence>,
    counted: LoginLimits['attempt'] = limits.attemptCode,
  ): Promise<SignInFlow | null> {
    const evidence = await shown(flow)
    const { userId, username } = evidence.account
    const device = await deviceOf(deps, userId, by)
    return counted({ username, address: by.address, device }, async (attempt) => {
      const isRequired = pass(flow, evidence) === flow.step
      const proven = isRequired ? await prove(evidence, attempt) : evidence
      return proceed(flow, proven, attempt, by)
    })
  }

  /** @throws ApiError signInFailed if the account has changed */
  async function shown({ data: { proven }, userId }: SignInFlow): Promise<Evidence> {
    const account = userId === null ? null : await accounts.byUserId(userId)
    if (!account || !proven) throw flowExpired('page_flow_unknown')
    requirements.refuse('ticket', { account, since: { now: account, before: proven } })
    return evidenceOf(account, proven)
  }

  /**
   * A remembered device answers for the second factor after the password of a new sign-in, and only
   * where it completes the sign-in.
   */
  async function withDevice(
    flow: SignInFlow,
    evidence: Evidence,
    { result: { browser } }: SigningIn,
  ): Promise<Evidence> {
    const eased = { ...evidence, isRemembered: true }
    const isNew = remembered && browser !== undefined && flow.data.again === null
    if (!isNew || pass(flow, evidence) !== 'second_factor') return evidence
    if (typeof pass(flow, eased) === 'string') return evidence
    const isKnown = await remembered.isRemembered(evidence.account.userId, browser)
    return isKnown ? eased : evidence
  }

  function pass({ data: { column: stage }, returnTo }: SignInFlow, evidence: Evidence) {
    return passTowards(returnTo, requirements.pass(stage, evidence), evidence)
  }

  async function proceed(
    flow: SignInFlow,
    evidence: Evidence,
    attempt: Attempt | null,
    { result, also }: SigningIn,
  ): Promise<SignInFlow | null> {
    const passed = pass(flow, evidence)
    if (typeof passed === 'string') {
      const next = await advance(flow, passed, evidence, await begin(flow, passed, evidence), also)
      await attempt?.cancel()
      return next
    }
    await completion.complete(passed, attempt, {
      ...result,
      async issue(trx, present) {
        await also?.(trx)
        await pageFlows.end(trx, flow)
        await noteDevice({ remembered, requirements }, trx, present, {
          flow,
          browser: result.browser,
        })
        const { again, keepSignedIn } = flow.data
        if (keepSignedIn) return result.issue(trx, { ...present, keeps: 'asked' })
        return result.issue(trx, again === null ? present : { ...present, keeps: 'as before' })
      },
    })
    return null
  }

  async function begin(flow: SignInFlow, step: Step, evidence: Evidence) {
    if (step !== 'enrolment') return {}
    // If the account is locked in the meantime, the answer must not reveal that the proof was
    // right.
    const account = await accounts.reread(db, evidence.account, commitStageOf(flow))
    const { secret, uri } = await totp.begin(account, unchanged(account))
    if (!config.passkeys.isPossible) return { enrolment: { secret, uri } }
    const caller = purposeOf({ ...flow, step })
    const creation = await passkeyEnrolment.begin(account, caller, unchanged(account))
    return { enrolment: { secret, uri, creation } }
  }

  /** Unless the account has changed since the proof. */
  function advance(
    flow: SignInFlow,
    step: Step | 'recovery_codes',
    evidence: Evidence,
    more: Pick<SignInData, 'enrolment' | 'recoveryCodes'>,
    also?: SigningIn['also'],
  ): Promise<SignInFlow> {
    const { userId } = evidence.account
    const { column, again, keepSignedIn = false, rememberDevice = false } = flow.data
    const boxes = { keepSignedIn, rememberDevice }
    const data: SignInData = { column, again, ...boxes, proven: provenOf(evidence), ...more }
    return transact(db, [lockName.account(userId)], async (trx) => {
      await accounts.reread(trx, evidence.account, commitStageOf(flow))
      await also?.(trx)
      return pageFlows.advance<SignInData>(trx, flow, { step, data, userId })
    })
  }

  function unchanged(account: Account): Guard {
    return {
      lockNames: () => [],
      async authorize(trx) {
        await accounts.reread(trx, account, 'commit')
      },
    }
  }

  /**
   * Only after the present password was proved: otherwise attackers could guess the password
   * without a limit. @throws ApiError validationFailed if the new password is the present one
   */
  async function assertAnother({ account, amr }: Evidence, password: string): Promise<void> {
    if (!amr.includes('pwd')) return
    const { matches } = await passwords.verify(password, account.passwordHash)
    if (matches)
      refuseField(['new_password'], {
        en: 'must differ from the present one',
        de: 'muss sich vom jetzigen unterscheiden',
      })
  }
}

function having(flow: SignInFlow, more: Partial<SignInData>): SignInFlow {
  return { ...flow, data: { ...flow.data, ...more } }
}

function commitStageOf({ data: { column: stage } }: SignInFlow) {
  return commitStages[stage]
}
