import { type EmailAddress, maskedEmail, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { endTokensWith, everything } from '../../modules/accounts/account-update.ts'
import { type AccountHooks, accountIn } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { voidPasswordSince } from '../../modules/passwords/passwords.ts'
import { assertMail } from '../mail/outbox.ts'
import type {
  Begun,
  BegunCode,
  Confirmation,
  MailedSecrets,
  PendingAddress,
} from '../one-time-tokens/confirmations.ts'
import { type ConfirmationPurpose, confirmationPurposes } from '../one-time-tokens/purposes.ts'
import {
  emailChanged,
  emailRemoved,
  emailRestored,
  emailVerificationCancelled,
  emailVerificationRequested,
  emailVerified,
  languageChanged,
} from './events.ts'
import { emailStore, type StoredEmail } from './store.ts'

export type Emails = ReturnType<typeof createEmails>

export interface OwnEmail extends StoredEmail {
  readonly pending: PendingAddress | null
}

export interface BeginOptions {
  readonly guard?: Guard | undefined
  /** If the account has none. */
  readonly language: Language
  /** The client's address, for the limits. */
  readonly client: string
  /** The flow of pages that accepts the code; null for the API. */
  readonly flow: string | null
}

export type Confirmed = 'verified' | 'changed' | 'restored'

export interface Outcome {
  readonly done: Confirmed
  /** The token of the reset after an undo, which was not mailed. */
  readonly reset: Pick<MailedSecrets, 'token' | 'expiresAt'> | null
}

export const emailPurposes = ['verification', 'email_change', 'email_undo'] as const
const pendingPurposes = ['verification', 'email_change'] as const

const accessTokens = { access: true, refresh: false }

type EmailsNeeds = Pick<
  Needs,
  | 'accounts'
  | 'clock'
  | 'config'
  | 'confirmations'
  | 'db'
  | 'devices'
  | 'events'
  | 'factors'
  | 'identities'
  | 'outbox'
  | 'requirements'
>

/**
 * The verified address of an account. Only this address receives mail, signs in and appears in
 * tokens; `users.email` is unverified. Unique among accounts in canonical form. docs/adr/0060
 */
export function createEmails(deps: EmailsNeeds & { readonly hooks: AccountHooks }) {
  const { accounts, config, confirmations, db, clock, events, hooks, outbox, requirements } = deps
  const { devices, factors, identities } = deps
  const endTokens = endTokensWith(hooks.ended)

  return {
    /** Null without an account. */
    async of(userId: number): Promise<OwnEmail | null> {
      const stored = await emailStore(db).of(userId)
      return stored && { ...stored, pending: await confirmations.pending(userId, pendingPurposes) }
    },

    /** @throws ApiError mailUnavailable */
    assertAvailable: () => assertMail(outbox),

    /**
     * The answer is the same for an address of another account, whose owner gets a notice.
     * @throws ApiError mailUnavailable; tooManyRequests; invalidCredentials if the account has ended
     * its logins
     */
    async begin(
      account: Account,
      address: EmailAddress,
      { guard, language, client, flow }: BeginOptions,
    ): Promise<BegunCode> {
      assertMail(outbox)
      const { userId } = account
      const work = async (trx: DatabaseOrTransaction) => {
        const { email, refreshVersion } = await accounts.reread(trx, account)
        const before = email === null ? null : parseEmail(email)
        const isChange = before !== null && before.key !== address.key
        const [purpose, other] = isChange ? pendingPurposes.toReversed() : pendingPurposes
        if (!purpose || !other) throw new Error('there are two purposes')
        // Only one address can be pending: two links could not both count.
        await confirmations.cancelAll(trx, userId, [other])
        const begun = await confirmations.begin(trx, {
          purpose,
          asked: address.key,
          userId,
          address,
          version: refreshVersion,
          flow,
          language,
          facts: { from: before?.key ?? null },
        })
        const { confirmation, ...of } = begun.mail
        await events.emitInTransaction(trx, emailVerificationRequested, {
          user_id: userId,
          change: isChange,
        })
        // For a taken address no link is mailed, so nothing can confirm the address.
        const owner = await emailStore(trx).ownerOf(address.key)
        const isTaken = owner !== null && owner.userId !== userId
        await outbox.add(trx, {
          ...(isTaken
            ? {
                message: 'sign_up_exists',
                to: { userId: owner.userId },
                facts: { username: owner.username },
              }
            : { message: purpose, to: { address, userId }, confirmation, facts: {} }),
          ...of,
          language,
          client,
        })
        return begun
      }
      return transact(db, [lockName.account(userId)], work, guard)
    },

    async cancel({ userId }: Account, guard?: Guard): Promise<void> {
      const work = async (trx: DatabaseOrTransaction) => {
        await confirmations.cancelAll(trx, userId, pendingPurposes)
        await events.emitInTransaction(trx, emailVerificationCancelled, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },

    /**
     * Executes a confirmation: `verified`, `changed`, or `restored` for the previous address, which
     * ends all logins, removes later additions, and starts a password reset. `also` runs in the same
     * transaction.
     * @throws ApiError confirmationInvalid; emailExists if another account has verified the address
     */
    async confirm(
      confirmation: Confirmation,
      guard?: Guard,
      also?: (trx: DatabaseOrTransaction, done: Confirmed) => Promise<unknown>,
    ): Promise<Outcome> {
      const { userId, purpose } = confirmation
      if (userId === null) throw outlived(confirmation)
      const { done, reset } = await changing(
        userId,
        async (trx) => {
          await confirmations.use(trx, confirmation)
          const account = await accountIn(trx, userId)
          if (!account || isDenied(account, purpose)) throw outlived(confirmation)
          const outcome =
            purpose === 'email_undo'
              ? { done: 'restored' as const, reset: await restore(trx, account, confirmation) }
              : { done: await replace(trx, account, confirmation), reset: null }
          await also?.(trx, outcome.done)
          return outcome
        },
        guard,
      )
      return {
        done,
        reset: reset && (await confirmations.secretsOf(reset.confirmation, reset.flow)),
      }
    },

    /** False if there is none. */
    async remove(userId: number, guard?: Guard): Promise<boolean> {
      const work = async (trx: DatabaseOrTransaction) => {
        const [account, before] = [await accountIn(trx, userId), await emailStore(trx).of(userId)]
        if (!account || !before?.address) return false
        await emailStore(trx).set(userId, null, clock.now())
        await confirmations.cancelAll(trx, userId, confirmationPurposes)
        await endTokens(trx, userId, accessTokens)
        await events.emitInTransaction(trx, emailRemoved, { user_id: userId })
        await outbox.add(trx, {
          message: 'email_changed',
          to: { address: before.address, userId },
          facts: { username: account.username, newAddress: null, by: 'administrator' },
          language: config.pages.language,
        })
        return true
      }
      return changing(userId, work, guard)
    },

    /** Null: the browser's language. */
    async setLanguage(
      { userId }: Account,
      language: Language | null,
      guard?: Guard,
    ): Promise<void> {
      const work = async (trx: DatabaseOrTransaction) => {
        await emailStore(trx).setLanguage(userId, language)
        await events.emitInTransaction(trx, languageChanged, { user_id: userId, language })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },
  }

  async function replace(
    trx: DatabaseOrTransaction,
    account: Account,
    confirmation: Confirmation,
  ): Promise<Exclude<Confirmed, 'restored'>> {
    const { userId, username } = account
    const { address, facts, language } = confirmation
    const before = account.email === null ? null : parseEmail(account.email)
    // Requested for another address: an undo was used in the meantime, for example.
    if (facts.from !== (before?.key ?? null)) throw outlived(confirmation)
    await setVerifiedEmail(trx, userId, address, clock.now())
    if (before === null || before.key === address.key) {
      await events.emitInTransaction(trx, emailVerified, { user_id: userId })
      return 'verified'
    }
    await confirmations.cancelAll(trx, userId)
    // Tokens contain the previous address.
    await endTokens(trx, userId, accessTokens)
    await events.emitInTransaction(trx, emailChanged, { user_id: userId })
    const undo = await confirmations.begin(trx, {
      purpose: 'email_undo',
      // Each change has its own undo link, with the full lifetime.
      asked: `${before.key}|${clock.now()}`,
      userId,
      address: before,
      version: account.refreshVersion,
      flow: null,
      language,
      facts: {
        earlier: await confirmations.unused(trx, userId, 'email_undo'),
        since: confirmation.createdAt,
      },
    })
    await outbox.add(trx, {
      message: 'email_changed',
      to: { address: before, userId },
      ...undo.mail,
      facts: { username, newAddress: maskedEmail(address.address) },
      language,
    })
    return 'changed'
  }

  /**
   * Restores the previous address and begins a password reset. Keeps undo links of earlier changes:
   * a thief's second change must not remove the first undo link.
   */
  async function restore(
    trx: DatabaseOrTransaction,
    { userId }: Account,
    { id: undo, address, createdAt, facts, language }: Confirmation,
  ): Promise<Begun['mail']> {
    await setVerifiedEmail(trx, userId, address, clock.now())
    await confirmations.cancelAll(trx, userId)
    const earlier = Array.isArray(facts.earlier) ? facts.earlier : []
    for (const id of await confirmations.unused(trx, userId, 'email_undo')) {
      if (!earlier.includes(id)) await confirmations.withdraw(trx, id)
    }
    // Undo links of previous versions lack the time of the request.
    const since = typeof facts.since === 'number' ? facts.since : createdAt
    const hadNewPassword = await undoSince(trx, userId, since)
    await endTokens(trx, userId, everything, { endsKeys: true })
    const restored = { user_id: userId, password_removed: hadNewPassword }
    await events.emitInTransaction(trx, emailRestored, restored)
    const now = await accountIn(trx, userId)
    const { mail } = await confirmations.begin(trx, {
      purpose: 'reset',
      // Unique: no other request can have the same value.
      asked: `restored by ${undo}`,
      userId,
      address,
      version: now?.refreshVersion ?? 0,
      flow: null,
      language,
      facts: { restored: true },
    })
    return mail
  }

  /**
   * Removes additions since the change was requested (epoch milliseconds), and cancels a pending
   * deletion: a thief may have done both. Returns whether a new password was removed. docs/adr/0074
   */
  async function undoSince(
    trx: DatabaseOrTransaction,
    userId: number,
    since: number,
  ): Promise<boolean> {
    await factors.removeSince(trx, userId, since)
    await identities.unlinkSince(trx, userId, since)
    const hadNewPassword = await voidPasswordSince(trx, userId, since)
    await devices.forget(trx, userId)
    await accounts.cancelDeletion(trx, userId)
    // The deletion's undo link was mailed to the removed address.
    await confirmations.cancelAll(trx, userId, ['deletion_undo'])
    return hadNewPassword
  }

  /**
   * Locked or disabled accounts change no address. Only the undo link restores an account with a
   * pending deletion; administrators' flags stay.
   */
  function isDenied(account: Account, purpose: ConfirmationPurpose): boolean {
    const since = { now: account, before: account }
    const isBack = purpose === 'email_undo' && account.deletionAt !== null
    return isBack
      ? requirements.unmet('return', { account: { ...account, deletionAt: null }, since }) !== null
      : requirements.unmet('change', { account, since }) !== null
  }

  /** Holds the account's lock. */
  async function changing<T>(
    userId: number,
    work: (trx: DatabaseOrTransaction) => Promise<T>,
    guard?: Guard,
  ): Promise<T> {
    const done = await transact(db, [lockName.account(userId)], work, guard)
    await hooks.changed(userId)
    return done
  }
}

/** In the transaction of a proof. `now`: epoch milliseconds. @throws ApiError emailExists */
export async function setVerifiedEmail(
  trx: DatabaseOrTransaction,
  userId: number,
  address: EmailAddress,
  now: number,
): Promise<void> {
  try {
    await emailStore(trx).set(userId, address, now)
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    const reason = { code: 'email_of_another', facts: { user_id: userId } } as const
    throw new ApiError('emailExists', { cause: error, reason })
  }
}

export async function accountWithEmail(
  db: DatabaseOrTransaction,
  { key }: Pick<EmailAddress, 'key'>,
): Promise<Account | null> {
  const owner = await emailStore(db).ownerOf(key)
  return owner && accountIn(db, owner.userId)
}

function outlived({ userId, purpose }: Pick<Confirmation, 'userId' | 'purpose'>): ApiError {
  const reason = { code: 'confirmation_outlived', facts: { user_id: userId, purpose } } as const
  return new ApiError('confirmationInvalid', { reason })
}
