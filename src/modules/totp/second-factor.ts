import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type Accounts, accountsIn, type ChangeOptions } from '../accounts/accounts.ts'
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

/** Spec 5.5; RFC 6238. */
export interface SecondFactor {
  /** Null without a factor. */
  stateOf(userId: number): Promise<FactorState | null>
  /**
   * The new secret is valid after `confirm`; an existing factor stays valid until then. @throws
   * ApiError invalidCredentials if all logins have ended, which cancels the enrolment
   */
  begin(account: Account, guard?: Guard): Promise<Provisioning>
  /**
   * Returns ten recovery codes. Ends other logins, made without the factor. @throws ApiError
   * validationFailed without a code (not counted as wrong); invalidCredentials,
   * tooManyLoginAttempts
   */
  confirm(account: Account, code: unknown, options: FactorOptions): Promise<string[]>
  /** Ends all logins except `keepSession`. */
  remove(account: Account, options: FactorOptions): Promise<void>
  /** Only if unconfirmed. */
  abandon(account: Account, guard?: Guard): Promise<void>
  /** Returns ten codes. @throws ApiError invalidCredentials without a factor */
  renewCodes(account: Account, guard?: Guard): Promise<string[]>
  /**
   * Removes what was added at `since` (epoch milliseconds) or later. The caller ends all logins.
   */
  removeSince(trx: DatabaseOrTransaction, userId: number, since: number): Promise<void>
  /**
   * Each code is accepted once. @throws ApiError secondFactorRequired without a proof,
   * invalidCredentials for a wrong proof, tooManyLoginAttempts after five wrong proofs in 15
   * minutes
   */
  prove(account: Account, proof: Proof, options?: ProveOptions): Promise<void>
}

export interface ProveOptions {
  readonly guard?: Guard | undefined
  /** Runs in the transaction that counts a wrong proof. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
}

export interface FactorState {
  /** Epoch milliseconds; null before version 0.9.0. */
  readonly confirmedAt: number | null
  readonly recoveryCodesLeft: number
}

type FactorOptions = Omit<ChangeOptions, 'assertWanted'>

/** A value of another type is wrong. */
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
        // Recovery codes are invalid without a factor.
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
      await accountsIn(trx).update(userId, { secondFactor: false }, clock.now())
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

  /** Counts the attempt before the verification; `judge` marks the success. */
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

  /** Null if the logins have ended since the enrolment began. */
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
 * Binds the secret to the logins: proofs given at the start of the enrolment are void after a
 * password reset.
 */
function enrolmentOf({ userId, refreshVersion }: Account): string {
  return `enrolment of ${userId} at ${refreshVersion}`
}

/** An empty field counts as absent. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
