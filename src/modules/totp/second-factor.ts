import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type Accounts, type ChangeOptions, turnSecondFactorOff } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { Attempt } from '../throttle/attempt.ts'
import { secondFactorKey } from '../throttle/keys.ts'
import { secondFactorQuota } from '../throttle/limits.ts'
import { createThrottle } from '../throttle/throttle.ts'
import { mfaCodesRenewed, mfaEnrolled, mfaFail, mfaRecoveryCodeUsed, mfaRemoved } from './events.ts'
import { type Provisioning, provision } from './provisioning.ts'
import { createRecoveryCodes, recoveryCodeDigest } from './recovery-codes.ts'
import { factorStore } from './store.ts'
import { matchingSteps } from './totp.ts'

/** The second factor: enrolment, proof and removal. Spec 5.5; RFC 6238. */
export interface SecondFactor {
  /** What an administrator may know of the factor of an account; null if it has none. */
  stateOf(userId: number): Promise<FactorState | null>
  /**
   * Begins an enrolment with a new secret, which is valid after `confirm`. An existing factor stays
   * valid until then. An end of all logins ends the enrolment.
   * @throws ApiError invalidCredentials if the account has ended its logins meanwhile
   */
  begin(account: Account, guard?: Guard): Promise<Provisioning>
  /**
   * Confirms an enrolment and answers ten recovery codes. Other logins of the account end, because
   * they were made without the factor.
   * @throws ApiError validationFailed without a code, which does not count as a wrong one;
   * invalidCredentials, tooManyLoginAttempts
   */
  confirm(account: Account, code: unknown, options: FactorOptions): Promise<string[]>
  /** Removes the factor. All logins of the account end, except the session `keepSession`. */
  remove(account: Account, options: FactorOptions): Promise<void>
  /** Removes an enrolment that was not confirmed, if there is one. */
  abandon(account: Account, guard?: Guard): Promise<void>
  /**
   * Replaces all recovery codes by ten new ones.
   * @throws ApiError invalidCredentials if the account has no factor
   */
  renewCodes(account: Account, guard?: Guard): Promise<string[]>
  /**
   * Removes a factor that was confirmed at `since` or later, epoch milliseconds, and recovery codes
   * that were made since then, in the caller's transaction, which ends all logins.
   */
  removeSince(trx: DatabaseOrTransaction, userId: number, since: number): Promise<void>
  /**
   * Verifies the proof of an account that has the factor; each code is accepted once.
   * @throws ApiError secondFactorRequired without a proof, invalidCredentials for a wrong one,
   * tooManyLoginAttempts after five wrong ones in 15 minutes
   */
  prove(account: Account, proof: Proof, options?: ProveOptions): Promise<void>
}

export interface ProveOptions {
  readonly guard?: Guard | undefined
  /** What else a wrong proof changes in the transaction that counts it. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
}

export interface FactorState {
  /** Epoch milliseconds; null if it was confirmed before version 0.9.0. */
  readonly confirmedAt: number | null
  readonly recoveryCodesLeft: number
}

/** The session that goes on, and the guard of the caller. */
type FactorOptions = Omit<ChangeOptions, 'assertWanted'>

/** A TOTP code or a recovery code as the caller sent it; a value of another type is wrong. */
export interface Proof {
  readonly totp?: unknown
  readonly recoveryCode?: unknown
}

export interface SecondFactorDeps {
  readonly accounts: Accounts
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly events: Events
  readonly keys: Pick<KeySet, 'dataKey'>
  /** Adds the factor to a session whose user has confirmed it. */
  readonly proved: (trx: DatabaseOrTransaction, sessionId: string) => Promise<void>
}

const secretBytes = 20 // RFC 4226 section 4: 160 bits

export function createSecondFactor(deps: SecondFactorDeps): SecondFactor {
  const { accounts, db, clock, random, events, keys } = deps
  const store = factorStore(db)
  const throttle = createThrottle(deps, secondFactorQuota)

  return {
    async stateOf(userId) {
      const factor = await store.of(userId)
      if (!factor || factor.sealed === null) return null
      const { confirmedAt } = factor
      return { confirmedAt, recoveryCodesLeft: await store.countCodes(userId) }
    },

    async begin(account, guard) {
      const { userId, username } = account
      const secret = random.bytes(secretBytes)
      const pending = seal(random, keys.dataKey, enrolmentOf(account), secret)
      const work = async (trx: DatabaseOrTransaction) => {
        await accounts.reread(trx, account)
        await factorStore(trx).begin(userId, pending)
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return provision(secret, username)
    },

    async confirm(account, code, options) {
      const { userId } = account
      if (!isSent(code)) refuseField(['totp'], 'is required')
      const codes = createRecoveryCodes(random)
      await counted(account, 'enrolment_code_wrong', async (attempt) => {
        const { pending = null } = (await store.of(userId)) ?? {}
        const secret = pending === null ? null : pendingSecret(account, pending)
        const [step] = secret === null ? [] : stepsOf(secret, code)
        if (pending === null || secret === null || step === undefined) return false
        const sealed = seal(random, keys.dataKey, contextOf(userId), secret)
        const confirmed = { sealed, step, confirmedAt: clock.now() }
        const work = async (trx: DatabaseOrTransaction) => {
          if (!(await factorStore(trx).confirm(userId, pending, confirmed))) return false
          await factorStore(trx).replaceCodes(userId, codes.map(recoveryCodeDigest), clock.now())
          await events.emitInTransaction(trx, mfaEnrolled, { user_id: userId })
          if (options.keepSession !== undefined) await deps.proved(trx, options.keepSession)
          await attempt.succeed(trx)
          return true
        }
        return accounts.changeSecondFactor(userId, { on: true, ...options, work })
      })
      return codes
    },

    async remove({ userId }, options) {
      const work = async (trx: DatabaseOrTransaction) => {
        await factorStore(trx).remove(userId)
        await events.emitInTransaction(trx, mfaRemoved, { user_id: userId })
        return true
      }
      await accounts.changeSecondFactor(userId, { on: false, ...options, work })
    },

    async abandon({ userId }, guard) {
      await transact(db, [], (trx) => factorStore(trx).abandon(userId), guard)
    },

    async renewCodes(account, guard) {
      const { userId } = account
      const codes = createRecoveryCodes(random)
      const work = async (trx: DatabaseOrTransaction) => {
        // Without a factor, or after its removal, recovery codes have nothing to replace.
        const { sealed = null } = (await factorStore(trx).of(userId)) ?? {}
        if (sealed === null) throw refused('second_factor_removed', account)
        await factorStore(trx).replaceCodes(userId, codes.map(recoveryCodeDigest), clock.now())
        await events.emitInTransaction(trx, mfaCodesRenewed, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return codes
    },

    async removeSince(trx, userId, since) {
      if (!(await factorStore(trx).removeSince(userId, since))) return
      await turnSecondFactorOff(trx, userId, clock.now())
      await events.emitInTransaction(trx, mfaRemoved, { user_id: userId })
    },

    async prove(account, { totp, recoveryCode }, { guard, failed } = {}) {
      const hasCode = isSent(totp)
      if (!hasCode && !isSent(recoveryCode))
        throw new ApiError('secondFactorRequired', {
          extra: { second_factor: 'totp' },
          reason: { code: 'second_factor_absent', facts: { user_id: account.userId } },
        })
      const use = (at: DatabaseOrTransaction) =>
        hasCode
          ? useCode(at, account.userId, totp)
          : useRecoveryCode(at, account.userId, recoveryCode)
      const judge = (attempt: Attempt) => {
        const work = async (trx: DatabaseOrTransaction) => {
          if (!(await use(trx))) return false
          await attempt.succeed(trx)
          return true
        }
        return transact(db, [], work, guard)
      }
      const wrong = hasCode ? 'second_factor_wrong' : 'recovery_code_wrong'
      await counted(account, wrong, judge, failed)
    },
  }

  /** Counts an attempt before it verifies the proof; `judge` marks the success itself. */
  function counted(
    account: Account,
    wrong: FactorReason,
    judge: (attempt: Attempt) => Promise<boolean>,
    failed?: ProveOptions['failed'],
  ): Promise<void> {
    const { userId } = account
    const work = async (attempt: Attempt) => {
      attempt.onFailure({ event: mfaFail, userId })
      if (!(await judge(attempt))) throw refused(wrong, account)
    }
    return throttle.attempt(secondFactorKey(userId), work, failed)
  }

  async function useCode(
    at: DatabaseOrTransaction,
    userId: number,
    code: unknown,
  ): Promise<boolean> {
    const factors = factorStore(at)
    const { sealed = null } = (await factors.of(userId)) ?? {}
    if (sealed === null) return false
    const secret = unseal(keys.dataKey, contextOf(userId), sealed)
    for (const step of stepsOf(secret, code)) {
      if (await factors.useStep(userId, sealed, step)) return true
    }
    return false
  }

  async function useRecoveryCode(
    at: DatabaseOrTransaction,
    userId: number,
    code: unknown,
  ): Promise<boolean> {
    const factors = factorStore(at)
    if (typeof code !== 'string') return false
    if (!(await factors.useCode(userId, recoveryCodeDigest(code)))) return false
    const left = await factors.countCodes(userId)
    await events.emitInTransaction(at, mfaRecoveryCodeUsed, { user_id: userId, left })
    return true
  }

  /** The secret of an enrolment; null if the account has ended its logins since it began. */
  function pendingSecret(account: Account, pending: string): Uint8Array | null {
    try {
      return unseal(keys.dataKey, enrolmentOf(account), pending)
    } catch {
      return null
    }
  }

  function stepsOf(secret: Uint8Array, code: unknown): number[] {
    return typeof code === 'string' ? matchingSteps(secret, code, clock.now()) : []
  }
}

type FactorReason =
  | 'enrolment_code_wrong'
  | 'recovery_code_wrong'
  | 'second_factor_removed'
  | 'second_factor_wrong'

function refused(code: FactorReason, { userId }: Pick<Account, 'userId'>): ApiError {
  return new ApiError('invalidCredentials', { reason: { code, facts: { user_id: userId } } })
}

function contextOf(userId: number): string {
  return `second factor of ${userId}`
}

/**
 * Binds the secret of an enrolment to the logins of its account. The proofs of the person were given
 * when the enrolment began. After a reset of the password these proofs no longer count.
 */
function enrolmentOf({ userId, refreshVersion }: Account): string {
  return `enrolment of ${userId} at ${refreshVersion}`
}

/** Whether a field was sent; one that is empty counts as absent. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
