import { createHash } from 'node:crypto'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import type { ChangeOptions } from '../accounts/accounts.ts'
import type { Account } from '../authentication/account.ts'
import type { NewFactor } from '../factors/factors.ts'
import { createChallenges } from './challenges.ts'
import { passkeyRenamed } from './events.ts'
import { type CreationOptions, creationOptions } from './options.ts'
import { challengeSeconds, passkeyAmr } from './passkeys.ts'
import { passkeyNotFound, tooManyPasskeys } from './problems.ts'
import { idOf, type Passkey, passkeyStore } from './store.ts'
import { CeremonyError } from './webauthn/ceremony-error.ts'
import type { Registered } from './webauthn/registration.ts'

export interface Added {
  readonly passkey: Passkey
  /** With the first factor of the account. */
  readonly recoveryCodes: readonly string[]
}

/** Names the caller whose proofs began the enrolment. */
export type CallerName = string

/** The passkeys of an account. */
export interface PasskeyEnrolment {
  /** Oldest first. */
  of(userId: number): Promise<Passkey[]>
  /** Stores nothing. `guard` holds the proofs of the person. @throws ApiError tooManyPasskeys */
  begin(account: Account, caller: CallerName, guard?: Guard): Promise<CreationOptions>
  /**
   * @throws ApiError validationFailed for a response that is refused, tooManyPasskeys; as `add` of
   * `Factors`
   */
  finish(
    account: Account,
    of: { readonly caller: CallerName; readonly sent: unknown; readonly name: string },
    options: Omit<ChangeOptions, 'assertWanted'>,
  ): Promise<Added>
  /** @throws ApiError passkeyNotFound */
  rename(account: Account, id: string, name: string, guard?: Guard): Promise<Passkey>
  /** @throws ApiError passkeyNotFound */
  assertOwn(account: Account, id: string): Promise<void>
  /** @throws ApiError as `remove` of `Factors` */
  remove(account: Account, id: string, options: Omit<ChangeOptions, 'assertWanted'>): Promise<void>
}

const maxPasskeys = 20

export function createPasskeyEnrolment(
  deps: Pick<
    Needs,
    'clock' | 'config' | 'db' | 'events' | 'factors' | 'keys' | 'passkeys' | 'random' | 'users'
  >,
): PasskeyEnrolment {
  const { clock, config, db, events, factors, passkeys, users } = deps
  const { origins, rpId } = config.passkeys
  const challenges = createChallenges(deps)
  const rpIdHash = createHash('sha256').update(rpId).digest()

  return {
    of: (userId) => passkeyStore(db).of(userId),

    begin(account, caller, guard) {
      const { userId, username } = account
      const work = async (trx: DatabaseOrTransaction) => {
        const own = await passkeyStore(trx).of(userId)
        if (own.length >= maxPasskeys) throw full(userId)
        return own
      }
      return transact(db, [lockName.account(userId)], work, guard).then(async (own) => {
        const name = (await users.byId(userId))?.name ?? username
        const challenge = challenges.begin(purposeOf(account, caller), challengeSeconds)
        const handle = passkeys.handleOf(userId)
        return creationOptions({ challenge, rpId }, { handle, username, name }, own)
      })
    },

    async finish(account, { caller, sent, name }, options) {
      const { verifyRegistration } = await import('./webauthn/registration.ts')
      const purpose = purposeOf(account, caller)
      const isChallenge = (challenge: string) => challenges.accepts(challenge, purpose)
      const registered = verified(account.userId, () =>
        verifyRegistration(sent, { isChallenge, origins, rpIdHash }),
      )
      const made = newPasskey(account.userId, registered, name)
      const recoveryCodes = await factors.add(account, async () => made.factor, {
        ...options,
        isCounted: false,
      })
      return { passkey: made.passkey, recoveryCodes }
    },

    async rename({ userId }, id, name, guard) {
      const work = async (trx: DatabaseOrTransaction) => {
        const store = passkeyStore(trx)
        if (!(await store.rename(userId, id, name))) throw noPasskey(userId)
        await events.emitInTransaction(trx, passkeyRenamed, { user_id: userId, passkey: id })
        return (await store.of(userId)).find((one) => one.id === id) ?? null
      }
      const renamed = await transact(db, [], work, guard)
      if (!renamed) throw noPasskey(userId)
      return renamed
    },

    async assertOwn({ userId }, id) {
      const own = await passkeyStore(db).of(userId)
      if (!own.some((passkey) => passkey.id === id)) throw noPasskey(userId)
    },

    remove(account, id, options) {
      return factors.remove(account, { ...options, id, isByOwner: true })
    },
  }

  function newPasskey(
    userId: number,
    registered: Registered,
    name: string,
  ): { readonly passkey: Passkey; readonly factor: NewFactor } {
    const { challenge, id: credentialId, ...of } = registered
    const id = idOf(credentialId)
    const now = clock.now()
    const passkey = {
      ...of,
      id,
      credentialId,
      userId,
      rpId,
      name,
      createdAt: now,
      lastUsedAt: null,
    }
    return {
      passkey,
      factor: {
        id,
        amr: passkeyAmr(of.isBackupEligible),
        async store(trx) {
          if (!(await challenges.use(trx, challenge))) throw registrationRefused(userId, 'used')
          const store = passkeyStore(trx)
          if ((await store.of(userId)).length >= maxPasskeys) throw full(userId)
          if (!(await store.insert(passkey))) throw registrationRefused(userId, 'known')
        },
      },
    }
  }
}

/** All logins that end void the enrolment. */
function purposeOf({ userId, refreshVersion }: Account, caller: CallerName): string {
  return `enrolment of ${userId} at ${refreshVersion} by ${caller}`
}

function verified<T>(userId: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CeremonyError) throw registrationRefused(userId, error.step)
    throw error
  }
}

function registrationRefused(userId: number, step: string): ApiError {
  const words = { en: 'is no valid new passkey', de: 'ist kein gültiger neuer Passkey' }
  const details = [{ path: ['response'], message: words.en, words }]
  const reason = { code: 'registration_refused', facts: { user_id: userId, step } } as const
  return new ApiError('validationFailed', { details, reason })
}

function full(userId: number): ApiError {
  const reason = { code: 'passkeys_full', facts: { user_id: userId } } as const
  return new ApiError(tooManyPasskeys, { reason })
}

function noPasskey(userId: number): ApiError {
  const reason = { code: 'no_passkey', facts: { user_id: userId } } as const
  return new ApiError(passkeyNotFound, { reason })
}
