import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type Accounts, accountsIn, type ChangeOptions } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { Amr } from '../authentication/evidence.ts'
import type { SentFactor } from '../authentication/proofs.ts'
import type { Requirements } from '../authentication/requirements.ts'
import {
  type Attempt,
  type InTransaction,
  type Reservation,
  runAttempt,
} from '../throttle/attempt.ts'
import { secondFactorKey } from '../throttle/keys.ts'
import { secondFactorQuota } from '../throttle/limits.ts'
import { createThrottle } from '../throttle/throttle.ts'
import { mfaCodesRenewed, mfaEnrolled, mfaFail, mfaRecoveryCodeUsed, mfaRemoved } from './events.ts'
import { type Factor, type FactorKind, factorsIn, loginPurpose } from './kinds.ts'
import { secondFactorNotFound } from './problems.ts'
import { createRecoveryCodes, recoveryCodesIn } from './recovery-codes.ts'

/** `Account.secondFactor` says whether an account has any. */
export interface Factors {
  /** Confirmed, oldest first. */
  of(userId: number): Promise<Factor[]>
  recoveryCodesLeft(userId: number): Promise<number>
  /** How many confirmed factors of each kind, and how many `recovery_codes` are left. */
  counts(userId: number): Promise<Readonly<Record<string, number>>>
  /** The fields of a refusal that asks for a factor. */
  wanted(db: DatabaseOrTransaction, userId: number): Promise<Wanted>
  /** Whether a request has a proof of any kind, or a recovery code. */
  isSent(sent: SentFactor): boolean
  /** Whether a request has a proof that is worth a password too. */
  isBothFactors(sent: SentFactor): boolean
  /**
   * Each proof is accepted once. Returns what the proof adds to a login. @throws ApiError
   * secondFactorRequired without a proof, invalidCredentials for a wrong proof,
   * tooManyLoginAttempts after five wrong proofs in 15 minutes
   */
  prove(account: Account, sent: SentFactor, options?: ProveOptions): Promise<readonly Amr[]>
  /**
   * Ends other logins, made without the factor. Returns ten recovery codes, or none if the
   * account has codes by another factor. @throws ApiError of `verify`, whose invalidCredentials
   * counts; tooManyLoginAttempts
   */
  add(account: Account, verify: () => Promise<NewFactor>, options: AddOptions): Promise<string[]>
  /**
   * Removes one factor, or all. Ends all logins except `keepSession`. @throws ApiError
   * secondFactorNotFound for an unknown `id`; accessDenied if the owner removes the last factor
   * and a role asks for one
   */
  remove(account: Account, options: RemoveOptions): Promise<void>
  /**
   * Removes what was added at `since` (epoch milliseconds) or later. The caller ends all logins.
   */
  removeSince(trx: DatabaseOrTransaction, userId: number, since: number): Promise<void>
  /** Returns ten codes. @throws ApiError invalidCredentials without a factor */
  renewCodes(account: Account, guard?: Guard): Promise<string[]>
}

export interface Wanted {
  readonly second_factor: string
  /** If the account has several kinds. */
  readonly second_factors?: readonly string[]
}

export interface NewFactor {
  readonly id: string
  readonly amr: readonly Amr[]
  store(trx: DatabaseOrTransaction): Promise<void>
}

export interface ProveOptions {
  /** What the proof is for; a proof of some kinds is for one purpose. Default: a login by JSON. */
  readonly purpose?: string
  readonly guard?: Guard | undefined
  /** Runs in the transaction that counts a wrong proof. */
  readonly failed?: (trx: DatabaseOrTransaction) => Promise<void>
}

type FactorOptions = Omit<ChangeOptions, 'assertWanted'>

interface AddOptions extends FactorOptions {
  /** False if what `verify` checks cannot be guessed. Default: true. */
  readonly isCounted?: boolean
}

interface RemoveOptions extends FactorOptions {
  /** Absent: all factors. */
  readonly id?: string
  readonly isByOwner?: boolean
}

export interface FactorsDeps {
  readonly accounts: Pick<Accounts, 'changeSecondFactor'>
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly events: Events
  readonly requirements: Pick<Requirements, 'mustHaveFactor'>
  readonly factorKinds: () => readonly FactorKind[]
  readonly proved: (
    trx: DatabaseOrTransaction,
    sessionId: string,
    amr: readonly Amr[],
  ) => Promise<void>
}

/** A recovery code replaces a code of an authenticator app. */
const recoveryAmr: readonly Amr[] = ['otp', 'mfa']

export function createFactors(deps: FactorsDeps): Factors {
  const { accounts, db, clock, random, events, factorKinds, requirements } = deps
  const throttle = createThrottle(deps, secondFactorQuota)
  const uncounted: Reservation = {
    takenAt: 0,
    async fail(also) {
      if (also) await transact(db, [], also)
    },
    async succeed() {},
    async cancel() {},
  }

  const factors: Factors = {
    of: (userId) => confirmed(db, userId),

    recoveryCodesLeft: (userId) => recoveryCodesIn(db).count(userId),

    async counts(userId) {
      const counts: Record<string, number> = {
        recovery_codes: await factors.recoveryCodesLeft(userId),
      }
      for (const { kind } of await confirmed(db, userId)) counts[kind] = (counts[kind] ?? 0) + 1
      return counts
    },

    async wanted(at, userId) {
      const all = factorKinds().map(({ name }) => name)
      const own = all.length === 1 ? [] : (await confirmed(at, userId)).map(({ kind }) => kind)
      const kinds = own.length === 0 ? all.slice(0, 1) : all.filter((name) => own.includes(name))
      const [first] = kinds
      if (first === undefined) throw new Error('no module adds a kind of factor')
      return { second_factor: first, ...(kinds.length > 1 && { second_factors: kinds }) }
    },

    isSent: (sent) => kindIn(sent) !== undefined || isSent(sent.recovery_code),

    isBothFactors: (sent) => kindIn(sent)?.isBothFactors === true,

    async prove(account, sent, { purpose = loginPurpose, guard, failed } = {}) {
      const { userId } = account
      if (!factors.isSent(sent)) {
        throw new ApiError('secondFactorRequired', {
          extra: { ...(await factors.wanted(db, userId)) },
          reason: { code: 'second_factor_absent', facts: { user_id: userId } },
        })
      }
      const kind = kindIn(sent)
      const given = kind && sent[kind.name]
      return counted(
        { userId, isCounted: kind?.isBothFactors !== true, failed },
        async (attempt) => {
          attempt.onFailure({ event: mfaFail, userId })
          const proof = kind?.verify ? await kind.verify(account, given, purpose) : given
          const work = async (trx: DatabaseOrTransaction) => {
            const amr = kind
              ? await kind.prove(trx, account, proof)
              : await useRecoveryCode(trx, account, sent.recovery_code)
            await attempt.succeed(trx)
            return amr
          }
          return transact(db, [], work, guard)
        },
      )
    },

    async add({ userId }, verify, { isCounted = true, ...options }) {
      const codes = createRecoveryCodes(random)
      return counted({ userId, isCounted }, async (attempt) => {
        attempt.onFailure({ event: mfaFail, userId })
        const { id, amr, store } = await verify()
        let isOnly = true
        const work = async (trx: DatabaseOrTransaction) => {
          await store(trx)
          isOnly = (await confirmed(trx, userId)).every((factor) => factor.id === id)
          if (isOnly) await recoveryCodesIn(trx).replace(userId, codes, clock.now())
          await events.emitInTransaction(trx, mfaEnrolled, { user_id: userId })
          if (options.keepSession !== undefined) await deps.proved(trx, options.keepSession, amr)
          await attempt.succeed(trx)
          return true
        }
        await accounts.changeSecondFactor(userId, { ...options, work })
        return isOnly ? codes : []
      })
    },

    async remove({ userId, roles }, { id, isByOwner, ...options }) {
      const work = async (trx: DatabaseOrTransaction) => {
        const all = await factorsIn(trx, factorKinds(), userId)
        const removed = all.filter((factor) => id === undefined || factor.id === id)
        if (id !== undefined && !removed.some(({ isConfirmed }) => isConfirmed)) {
          const reason = { code: 'no_second_factor', facts: { user_id: userId } } as const
          throw new ApiError(secondFactorNotFound, { reason })
        }
        for (const factor of removed) {
          await kindNamed(factor.kind).remove(trx, userId, factor.id)
        }
        await events.emitInTransaction(trx, mfaRemoved, { user_id: userId })
        const hasFactor = await keepsCodes(trx, userId)
        if (isByOwner && !hasFactor && requirements.mustHaveFactor({ roles })) {
          const reason = { code: 'last_factor_required', facts: { user_id: userId } } as const
          throw new ApiError('accessDenied', { reason })
        }
        return hasFactor
      }
      await accounts.changeSecondFactor(userId, { ...options, work })
    },

    async removeSince(trx, userId, since) {
      let isRemoved = false
      for (const kind of factorKinds()) {
        if (await kind.removeSince(trx, userId, since)) isRemoved = true
      }
      await recoveryCodesIn(trx).removeSince(userId, since)
      if (!isRemoved) return
      const secondFactor = await keepsCodes(trx, userId)
      await accountsIn(trx).update(userId, { secondFactor }, clock.now())
      await events.emitInTransaction(trx, mfaRemoved, { user_id: userId })
    },

    async renewCodes({ userId }, guard) {
      const codes = createRecoveryCodes(random)
      const work = async (trx: DatabaseOrTransaction) => {
        // Recovery codes are invalid without a factor.
        if ((await confirmed(trx, userId)).length === 0)
          throw refused('second_factor_removed', userId)
        await recoveryCodesIn(trx).replace(userId, codes, clock.now())
        await events.emitInTransaction(trx, mfaCodesRenewed, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return codes
    },
  }
  return factors

  /** The limit of the account, for what can be guessed. */
  function counted<T>(
    of: {
      readonly userId: number
      readonly isCounted: boolean
      failed?: InTransaction | undefined
    },
    work: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const { failed, isCounted, userId } = of
    if (isCounted) return throttle.attempt(secondFactorKey(userId), work, failed)
    return runAttempt(deps, { reservation: uncounted, events, ...(failed && { failed }) }, work)
  }

  async function confirmed(at: DatabaseOrTransaction, userId: number): Promise<Factor[]> {
    return (await factorsIn(at, factorKinds(), userId)).filter(({ isConfirmed }) => isConfirmed)
  }

  function kindNamed(name: string): FactorKind {
    const kind = factorKinds().find((each) => each.name === name)
    if (!kind) throw new Error(`no module adds the kind ${name} of factors`)
    return kind
  }

  function kindIn(sent: SentFactor): FactorKind | undefined {
    return factorKinds().find(({ name }) => isSent(sent[name]))
  }

  /** Whether a factor is left; otherwise removes the recovery codes. */
  async function keepsCodes(trx: DatabaseOrTransaction, userId: number): Promise<boolean> {
    const hasFactor = (await confirmed(trx, userId)).length > 0
    if (!hasFactor) await recoveryCodesIn(trx).removeAll(userId)
    return hasFactor
  }

  async function useRecoveryCode(
    trx: DatabaseOrTransaction,
    { userId }: Account,
    code: unknown,
  ): Promise<readonly Amr[]> {
    const codes = recoveryCodesIn(trx)
    if (typeof code !== 'string' || !(await codes.use(userId, code))) {
      throw refused('recovery_code_wrong', userId)
    }
    const left = await codes.count(userId)
    await events.emitInTransaction(trx, mfaRecoveryCodeUsed, { user_id: userId, left })
    return recoveryAmr
  }
}

function refused(code: 'recovery_code_wrong' | 'second_factor_removed', userId: number): ApiError {
  return new ApiError('invalidCredentials', { reason: { code, facts: { user_id: userId } } })
}

/** An empty field counts as absent. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
