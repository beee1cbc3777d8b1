import type { Accounts, HowToChange } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, lockName, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError, refuseField } from '../kernel/errors.ts'
import type { Random } from '../kernel/random.ts'
import type { KeySet } from '../keys/key-set.ts'
import { seal, unseal } from '../keys/seal.ts'
import type { Attempt } from '../throttle/attempt.ts'
import { secondFactorKey } from '../throttle/keys.ts'
import { secondFactorQuota } from '../throttle/limits.ts'
import { createThrottle } from '../throttle/throttle.ts'
import { mfaCodesRenewed, mfaEnrolled, mfaFail, mfaRemoved } from './events.ts'
import { type Provisioning, provision } from './provisioning.ts'
import { createRecoveryCodes, recoveryCodeDigest } from './recovery-codes.ts'
import { factorStore } from './store.ts'
import { matchingSteps } from './totp.ts'

/** The second factor: enrolment, proof and removal. Spec 5.5; RFC 6238. */
export interface SecondFactor {
  /**
   * A new secret; it counts once `confirm` has seen a code of it. The factor so far goes on, and is
   * asked for before it can be replaced.
   * @throws ApiError as `prove`; invalidCredentials where the account has ended its logins meanwhile
   */
  begin(account: Account, proof: Proof, guard?: Guard): Promise<Provisioning>
  /**
   * Turns the factor on and answers ten recovery codes. Other logins end: none of them has shown it.
   * @throws ApiError validationFailed without a code, which is no wrong one and is not counted;
   * invalidCredentials, tooManyLoginAttempts
   */
  confirm(account: Account, code: unknown, how: FactorHow): Promise<string[]>
  /**
   * Turns the factor off, with a proof of it; an enrolment that has begun ends without one. Where
   * there is neither, that is what was asked for. @throws ApiError as `prove`
   */
  remove(account: Account, proof: Proof, how: FactorHow): Promise<void>
  /** Ten recovery codes in place of those there are, with a proof. @throws ApiError as `prove` */
  renewCodes(account: Account, proof: Proof, guard?: Guard): Promise<string[]>
  /** Takes the factor away without a proof, for an administrator. All logins end. */
  reset(account: Account, guard?: Guard): Promise<void>
  /**
   * Asks for the proof of an account that has the factor; each code counts once.
   * @throws ApiError secondFactorRequired without a proof, invalidCredentials for a wrong one,
   * tooManyLoginAttempts once five wrong ones came in 15 minutes
   */
  prove(account: Account, proof: Proof, guard?: Guard): Promise<void>
}

/** The session that goes on, and the guard of the caller. */
type FactorHow = Omit<HowToChange, 'assertWanted'>

/** What a caller sends; any type, since all that is no proof is a wrong one. */
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
}

const secretBytes = 20 // RFC 4226 section 4: 160 bits

export function createSecondFactor(deps: SecondFactorDeps): SecondFactor {
  const { accounts, db, clock, random, events, keys } = deps
  const store = factorStore(db)
  const throttle = createThrottle(deps, secondFactorQuota)

  return {
    async begin(account, proof, guard) {
      const { userId, username } = account
      if (account.secondFactor) await this.prove(account, proof, guard)
      const secret = random.bytes(secretBytes)
      const sealed = seal(random, keys.dataKey, contextOf(userId), secret)
      const work = async (trx: DatabaseOrTransaction) => {
        await accounts.reread(trx, account)
        await factorStore(trx).begin(userId, sealed)
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return provision(secret, username)
    },

    async confirm(account, code, how) {
      const { userId } = account
      if (!isSent(code)) refuseField(['totp'], 'is required')
      const codes = createRecoveryCodes(random)
      await counted(account, async (attempt) => {
        const { pending = null } = (await store.of(userId)) ?? {}
        const [step] = pending === null ? [] : stepsOf(userId, pending, code)
        if (pending === null || step === undefined) return false
        const work = async (trx: DatabaseOrTransaction) => {
          if (!(await factorStore(trx).confirm(userId, pending, step))) return false
          await factorStore(trx).replaceCodes(userId, codes.map(recoveryCodeDigest))
          await events.record(trx, mfaEnrolled, { user_id: userId })
          await attempt.succeed(trx)
          return true
        }
        return accounts.changeSecondFactor(userId, { on: true, ...how, work })
      })
      return codes
    },

    async remove(account, proof, how) {
      if (!account.secondFactor) return abandon(account, how)
      await this.prove(account, proof, how.guard)
      await takeAway(account, how)
    },

    async renewCodes(account, proof, guard) {
      const { userId } = account
      await this.prove(account, proof, guard)
      const codes = createRecoveryCodes(random)
      const work = async (trx: DatabaseOrTransaction) => {
        // Removed since it was proved: there is nothing that codes could stand in for.
        const { sealed = null } = (await factorStore(trx).of(userId)) ?? {}
        if (sealed === null) throw new ApiError('invalidCredentials')
        await factorStore(trx).replaceCodes(userId, codes.map(recoveryCodeDigest))
        await events.record(trx, mfaCodesRenewed, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return codes
    },

    reset: (account, guard) => takeAway(account, { guard }),

    async prove(account, { totp, recoveryCode }, guard) {
      const hasCode = isSent(totp)
      if (!hasCode && !isSent(recoveryCode))
        throw new ApiError('secondFactorRequired', { extra: { second_factor: 'totp' } })
      const use = (at: DatabaseOrTransaction) =>
        hasCode
          ? useCode(at, account.userId, totp)
          : useRecoveryCode(at, account.userId, recoveryCode)
      await counted(account, (attempt) => {
        const work = async (trx: DatabaseOrTransaction) => {
          if (!(await use(trx))) return false
          await attempt.succeed(trx)
          return true
        }
        return transact(db, [], work, guard)
      })
    },
  }

  /** Ends an enrolment that was not confirmed, if there is one. */
  async function abandon({ userId }: Account, { guard }: FactorHow): Promise<void> {
    await transact(db, [], (trx) => factorStore(trx).abandon(userId), guard)
  }

  async function takeAway({ userId }: Account, how: FactorHow): Promise<void> {
    const work = async (trx: DatabaseOrTransaction) => {
      await factorStore(trx).remove(userId)
      await events.record(trx, mfaRemoved, { user_id: userId })
      return true
    }
    await accounts.changeSecondFactor(userId, { on: false, ...how, work })
  }

  /** Counts a proof before it is judged, like a password; a right one settles its attempt itself. */
  function counted(
    { userId }: Account,
    judge: (attempt: Attempt) => Promise<boolean>,
  ): Promise<void> {
    return throttle.attempt(secondFactorKey(userId), async (attempt) => {
      attempt.failsAs({ event: mfaFail, userId })
      if (!(await judge(attempt))) throw new ApiError('invalidCredentials')
    })
  }

  async function useCode(
    at: DatabaseOrTransaction,
    userId: number,
    code: unknown,
  ): Promise<boolean> {
    const factors = factorStore(at)
    const { sealed = null } = (await factors.of(userId)) ?? {}
    if (sealed === null) return false
    for (const step of stepsOf(userId, sealed, code)) {
      if (await factors.useStep(userId, sealed, step)) return true
    }
    return false
  }

  async function useRecoveryCode(
    at: DatabaseOrTransaction,
    userId: number,
    code: unknown,
  ): Promise<boolean> {
    return typeof code === 'string' && factorStore(at).useCode(userId, recoveryCodeDigest(code))
  }

  function stepsOf(userId: number, sealed: string, code: unknown): number[] {
    if (typeof code !== 'string') return []
    return matchingSteps(unseal(keys.dataKey, contextOf(userId), sealed), code, clock.now())
  }
}

function contextOf(userId: number): string {
  return `second factor of ${userId}`
}

/** An empty field of a form is none. */
function isSent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
