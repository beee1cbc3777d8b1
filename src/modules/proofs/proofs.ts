import type { FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import { type Reauthorization, reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { LoginAddress } from '../../core/http/limits/client-address.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import type { Principal } from '../../core/policy/principal.ts'
import type { Accounts } from '../accounts/accounts.ts'
import { passwordChangeFail } from '../accounts/events.ts'
import { byPassword, type PasswordMethodDeps } from '../accounts/password-method.ts'
import type { Account } from '../authentication/account.ts'
import { type AuthenticateDeps, authenticate } from '../authentication/attempt.ts'
import { proofFail } from '../authentication/events.ts'
import type { ProofKind } from '../authentication/proof-kinds.ts'
import { proofPurpose } from '../authentication/proof-purpose.ts'
import {
  canBeSent,
  type Proofs,
  type ProofsInput,
  type ProtectedChangeInput,
  type Proven,
  proofsOf,
} from '../authentication/proofs.ts'
import type { Requirements } from '../authentication/requirements.ts'
import { type Factors, isSent } from '../factors/factors.ts'
import type { LoginLimits, PasskeyLimits } from '../throttle/limits.ts'
import type { Grant, Grants } from './grants.ts'

export interface ProofsDeps extends AuthenticateDeps, PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly config: Pick<Config, 'baseUrl'>
  readonly factors: Pick<Factors, 'isBothFactors' | 'isSent' | 'prove' | 'wanted'>
  readonly grants: Pick<Grants, 'of' | 'use'>
  readonly limits: Pick<LoginLimits, 'attempt' | 'attemptCode'>
  readonly loginAddress: LoginAddress
  readonly passkeyLimits: PasskeyLimits
  readonly requirements: Pick<Requirements, 'refuse'>
  /** A linked identity can sign in here. */
  readonly hasProvider: (userId: number) => Promise<boolean>
}

const noAttempt = async () => {}

export function createProofs(deps: ProofsDeps): Proofs {
  const { accounts, config, factors, limits, loginAddress, requirements } = deps

  return {
    neededOf,

    prove(request, wanted) {
      return this.proveAround(request, wanted, async ({ factor, guard }) => {
        await factor()
        return guard
      })
    },

    async proveAround(request, wanted, work) {
      const { account, change, sent } = wanted
      const needed = await neededOf(account)
      const grant = wanted.held ? null : await deps.grants.of(request, account, change)
      const held = [...heldBy(callerOf(request)), ...(wanted.held ?? grant?.kinds ?? [])]
      const lacking = needed.filter((kind) => !held.includes(kind))
      const isEnough = account.secondFactor && factors.isBothFactors(sent.factor)
      const open: readonly ProofKind[] = isEnough && lacking.length > 0 ? ['factor'] : lacking
      const missing = open.filter((kind) => !canBeSent(kind) || !hasSent(sent, kind))
      if (missing.length > 0) throw await refusal(deps.db, wanted, missing)
      const failure = change === 'password' ? passwordChangeFail : proofFail
      const how = { request, wanted, sent, failure, grant, asksFactor: open.includes('factor') }
      if (open.includes('password')) return afterPassword(account, how, work)
      if (open.includes('factor')) return afterFactor(account, how, work)
      return work({ account, guard: guardOf(how, account), factor: noAttempt, succeed: noAttempt })
    },
  }

  async function neededOf(account: Account): Promise<ProofKind[]> {
    const hasPassword = account.passwordHash !== null
    return proofsOf({
      hasPassword,
      hasFactor: account.secondFactor,
      hasProvider: !hasPassword && (await deps.hasProvider(account.userId)),
    })
  }

  function hasSent(sent: ProofsInput, kind: ProofKind): boolean {
    return kind === 'password' ? isSent(sent.currentPassword) : factors.isSent(sent.factor)
  }

  interface How {
    readonly request: FastifyRequest
    readonly wanted: ProtectedChangeInput
    readonly sent: ProofsInput
    readonly grant: Grant | null
    readonly asksFactor: boolean
    readonly failure: typeof proofFail
  }

  function afterPassword<T>(
    { username }: Account,
    how: How,
    work: (proven: Proven) => Promise<T>,
  ): Promise<T> {
    const { request, sent, asksFactor, failure } = how
    const { currentPassword, captcha } = sent
    const password = typeof currentPassword === 'string' ? currentPassword : ''
    const address = loginAddress(request)
    const authentication = {
      ...byPassword(deps, { username, password, address, captcha }),
      failure,
    }
    return authenticate(deps, authentication, async (evidence, attempt) => {
      // If the account is locked in between, later errors must not reveal a correct password.
      const account = await accounts.reread(deps.db, evidence.account, 'commit')
      const factor = async () => {
        if (!asksFactor) return
        attempt.onFailure({ event: null, wait: null }) // the factors record wrong proofs
        await proveFactor(account, how)
        attempt.onFailure({ event: failure })
      }
      const { succeed } = attempt
      return work({ account, guard: guardOf(how, account), factor, succeed })
    })
  }

  function afterFactor<T>(
    account: Account,
    how: How,
    work: (proven: Proven) => Promise<T>,
  ): Promise<T> {
    const { request, sent, failure } = how
    const login = { username: account.username, address: loginAddress(request) }
    // Wrong passkeys lock no account, and the lockout refuses no passkey.
    const isPasskey = factors.isBothFactors(sent.factor)
    const counted = isPasskey ? deps.passkeyLimits.attempt : limits.attemptCode
    const factor = () =>
      counted(login, async (attempt) => {
        attempt.onFailure({ event: failure, userId: account.userId })
        // First: a locked account must not reveal whether the proof is right.
        requirements.refuse(isPasskey ? 'passkey' : 'login', { account })
        attempt.onFailure({ event: null }) // the factors record wrong proofs
        await proveFactor(account, how)
      })
    return work({ account, guard: guardOf(how, account), factor, succeed: noAttempt })
  }

  async function proveFactor(account: Account, { request, sent, wanted }: How): Promise<void> {
    const purpose = proofPurpose(request, wanted.change)
    await factors.prove(account, sent.factor, { purpose, guard: reauthorize(request) })
  }

  /** Includes the account version of the proofs. */
  function guardOf({ request, grant, wanted }: How, account: Account): Reauthorization {
    const caller = reauthorize(request)
    return {
      lockNames: () => caller?.lockNames() ?? [],
      async now() {
        await caller?.now()
        await accounts.reread(deps.db, account)
      },
      async authorize(db: DatabaseOrTransaction) {
        await caller?.authorize(db)
        await accounts.reread(db, account)
        // Another request may have used the grant.
        if (grant && !(await deps.grants.use(db, grant))) {
          throw await refusal(db, wanted, grant.kinds)
        }
      },
    }
  }

  async function refusal(
    db: DatabaseOrTransaction,
    { account, change }: ProtectedChangeInput,
    missing: readonly ProofKind[],
  ): Promise<ApiError> {
    const needsPage = missing.some((kind) => !canBeSent(kind))
    const asksFactor = missing.includes('factor')
    const { second_factor: first = '', ...several } = asksFactor
      ? await factors.wanted(db, account.userId)
      : {}
    const names = missing.map((kind) => (kind === 'factor' ? first : kind))
    const confirm_url = `${config.baseUrl}/account/confirm?for=${change}`
    return new ApiError('confirmationRequired', {
      extra: { proofs: names, ...several, ...(needsPage && { confirm_url }) },
      reason: {
        code: 'proof_absent',
        facts: { user_id: account.userId, change, missing: names },
      },
    })
  }
}

/** Basic proves the password; an enrolment token proves the first factor of its login. */
function heldBy({ credential }: Principal): readonly ProofKind[] {
  if (credential.scheme === 'basic') return ['password']
  const isEnrolment = credential.scheme === 'bearer' && credential.claims.type === 'enrolment'
  return isEnrolment ? ['password', 'provider', 'email'] : []
}
