import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import type { Accounts, ChangeOptions } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import { type Factors, isSent } from '../factors/factors.ts'
import { seal, unseal } from '../keys/seal.ts'
import { contextOf, type TotpKindDeps, totpAmr, totpId } from './kind.ts'
import { type Provisioning, provision } from './provisioning.ts'
import { totpStore } from './store.ts'
import { matchingSteps } from './totp.ts'

/** The authenticator app of an account. Spec 5.5; RFC 6238. */
export interface Totp {
  isOn(account: Account): Promise<boolean>
  /**
   * The new secret is valid after `confirm`; an existing one stays valid until then. @throws
   * ApiError invalidCredentials if all logins have ended, which cancels the enrolment
   */
  begin(account: Account, guard?: Guard): Promise<Provisioning>
  /**
   * Returns recovery codes, as `add` of `Factors`. @throws ApiError validationFailed without a code
   * (not counted as wrong); invalidCredentials, tooManyLoginAttempts
   */
  confirm(
    account: Account,
    code: unknown,
    options: Omit<ChangeOptions, 'assertWanted'>,
  ): Promise<string[]>
  /** Only if unconfirmed. */
  abandon(account: Account, guard?: Guard): Promise<void>
}

export interface TotpDeps extends TotpKindDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly db: Database
  readonly factors: Pick<Factors, 'add'>
  readonly random: Random
}

const secretBytes = 20 // RFC 4226 section 4: 160 bits

export function createTotp({ accounts, clock, db, factors, keys, random }: TotpDeps): Totp {
  return {
    async isOn({ secondFactor, userId }) {
      return secondFactor && ((await totpStore(db).of(userId))?.sealed ?? null) !== null
    },

    async begin(account, guard) {
      const { userId, username } = account
      const secret = random.bytes(secretBytes)
      const pending = seal(random, keys.dataKey, enrolmentOf(account), secret)
      const work = async (trx: DatabaseOrTransaction) => {
        await accounts.reread(trx, account)
        await totpStore(trx).begin(userId, pending)
      }
      await transact(db, [lockName.account(userId)], work, guard)
      return provision(secret, username)
    },

    async confirm(account, code, options) {
      const { userId } = account
      if (!isSent(code)) refuseField(['totp'], { en: 'is required', de: 'fehlt' })
      const verify = async () => {
        const { pending = null } = (await totpStore(db).of(userId)) ?? {}
        const secret = pending === null ? null : pendingSecret(account, pending)
        const [step] = secret === null ? [] : matchingSteps(secret, code, clock.now())
        if (pending === null || secret === null || step === undefined) throw wrong(account)
        const sealed = seal(random, keys.dataKey, contextOf(userId), secret)
        const confirmed = { sealed, step, confirmedAt: clock.now() }
        const store = async (trx: DatabaseOrTransaction) => {
          if (!(await totpStore(trx).confirm(userId, pending, confirmed))) throw wrong(account)
        }
        return { id: totpId, amr: totpAmr, store }
      }
      return factors.add(account, verify, options)
    },

    async abandon({ userId }, guard) {
      await transact(db, [], (trx) => totpStore(trx).abandon(userId), guard)
    },
  }

  /** Null if the logins have ended since the enrolment began. */
  function pendingSecret(account: Account, pending: string): Uint8Array | null {
    try {
      return unseal(keys.dataKey, enrolmentOf(account), pending)
    } catch {
      return null
    }
  }
}

function wrong({ userId }: Account): ApiError {
  const reason = { code: 'enrolment_code_wrong', facts: { user_id: userId } } as const
  return new ApiError('invalidCredentials', { reason })
}

/**
 * Binds the secret to the logins: proofs given at the start of the enrolment are void after a
 * password reset.
 */
function enrolmentOf({ userId, refreshVersion }: Account): string {
  return `enrolment of ${userId} at ${refreshVersion}`
}
