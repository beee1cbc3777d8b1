import { type EmailAddress, maskedEmail, parseEmail } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Language } from '../../core/lib/languages.ts'
import { type AccountHooks, type Accounts, accountIn } from '../../modules/accounts/accounts.ts'
import { createEndTokens, everything } from '../../modules/accounts/end-tokens.ts'
import type { EndedTokens } from '../../modules/accounts/store.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Requirements } from '../../modules/authentication/requirements.ts'
import { assertMail, type Outbox } from '../mail/outbox.ts'
import type {
  Begun,
  BegunCode,
  Confirmation,
  Confirmations,
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
import type { UndoSince } from './undo.ts'

/**
 * The verified address of an account, apart from `users.email`, which its owner changes without a
 * proof: the verified one alone receives mail, signs in and stands in tokens. It is unique among
 * accounts in its canonical form. docs/adr/0060
 */
export interface Emails {
  /** The address of an account, with the one that waits for its proof. Null without an account. */
  of(userId: number): Promise<OwnEmail | null>
  /** @throws ApiError mailUnavailable if no mail can be sent */
  assertAvailable(): void
  /**
   * Mails a link to an address that the account wants. The answer is the same for an address of
   * another account, whose owner is told by mail.
   * @throws ApiError mailUnavailable; tooManyRequests; invalidCredentials if the account has ended
   * its logins meanwhile
   */
  begin(account: Account, address: EmailAddress, options: BeginOptions): Promise<BegunCode>
  /** Gives up the address that waits for its proof. */
  cancel(account: Account, guard?: Guard): Promise<void>
  /**
   * Does what a link or a code has proved: `verified` for the first address or the present one
   * again, `changed`, or `restored` for the address before, which ends all logins, removes what was
   * added since the change was asked for, and leads on to a reset of the password.
   * @throws ApiError confirmationInvalid if it counts no more, emailExists if another account has
   * verified the address
   */
  confirm(
    confirmation: Confirmation,
    guard?: Guard,
    /** Done in the same transaction: it takes the flow of pages further. */
    also?: (trx: DatabaseOrTransaction, done: Confirmed) => Promise<unknown>,
  ): Promise<Outcome>
  /** Removes the verified address, for an administrator; false if there is none. */
  remove(userId: number, guard?: Guard): Promise<boolean>
  /** Sets the language of pages and mail; null: that of the browser. */
  setLanguage(account: Account, language: Language | null, guard?: Guard): Promise<void>
}

export interface OwnEmail extends StoredEmail {
  readonly pending: PendingAddress | null
}

export interface BeginOptions {
  readonly guard?: Guard | undefined
  /** If the account has none of its own. */
  readonly language: Language
  /** The address of the client, by the rules of limits. */
  readonly client: string
  /** The flow of pages in which the code counts; null for the API. */
  readonly flow: string | null
}

export type Confirmed = 'verified' | 'changed' | 'restored'

/** What a confirmation did. */
export interface Outcome {
  readonly done: Confirmed
  /** The token of the reset that a way back leads on to, which was mailed to no one; else null. */
  readonly reset: Pick<MailedSecrets, 'token' | 'expiresAt'> | null
}

/** The purposes of the confirmations that `confirm` takes. */
export const emailPurposes = ['verification', 'email_change', 'email_undo'] as const
const pendingPurposes = ['verification', 'email_change'] as const

export interface EmailsDeps {
  readonly accounts: Pick<Accounts, 'reread'>
  readonly config: Pick<Config, 'pages'>
  readonly confirmations: Confirmations
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly hooks: AccountHooks
  readonly outbox: Outbox
  readonly requirements: Pick<Requirements, 'unmet'>
  readonly undoSince: UndoSince
}

const accessTokens: EndedTokens = { access: true, refresh: false }

export function createEmails(deps: EmailsDeps): Emails {
  const { accounts, config, confirmations, db, clock, events, hooks, outbox, requirements } = deps
  const { undoSince } = deps
  const endTokens = createEndTokens(hooks)

  return {
    async of(userId) {
      const stored = await emailStore(db).of(userId)
      return stored && { ...stored, pending: await confirmations.pending(userId, pendingPurposes) }
    },

    assertAvailable: () => assertMail(outbox),

    async begin(account, address, { guard, language, client, flow }) {
      assertMail(outbox)
      const { userId } = account
      const work = async (trx: DatabaseOrTransaction) => {
        const { email, refreshVersion } = await accounts.reread(trx, account)
        const before = email === null ? null : parseEmail(email)
        const isChange = before !== null && before.key !== address.key
        const [purpose, other] = isChange ? pendingPurposes.toReversed() : pendingPurposes
        if (!purpose || !other) throw new Error('there are two purposes')
        // One address waits at a time: two links could not both count.
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
        // The link of an address that is taken is mailed to no one, so that nothing can confirm it.
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

    async cancel({ userId }, guard) {
      const work = async (trx: DatabaseOrTransaction) => {
        await confirmations.cancelAll(trx, userId, pendingPurposes)
        await events.emitInTransaction(trx, emailVerificationCancelled, { user_id: userId })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },

    async confirm(confirmation, guard, also) {
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

    async remove(userId, guard) {
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

    async setLanguage({ userId }, language, guard) {
      const work = async (trx: DatabaseOrTransaction) => {
        await emailStore(trx).setLanguage(userId, language)
        await events.emitInTransaction(trx, languageChanged, { user_id: userId, language })
      }
      await transact(db, [lockName.account(userId)], work, guard)
    },
  }

  /** Makes a proved address that of the account. */
  async function replace(
    trx: DatabaseOrTransaction,
    account: Account,
    confirmation: Confirmation,
  ): Promise<Exclude<Confirmed, 'restored'>> {
    const { userId, username } = account
    const { address, facts, language } = confirmation
    const before = account.email === null ? null : parseEmail(account.email)
    // It was asked for beside another address: a way back has been used meanwhile, for example.
    if (facts.from !== (before?.key ?? null)) throw outlived(confirmation)
    await setVerifiedEmail(trx, userId, address, clock.now())
    if (before === null || before.key === address.key) {
      await events.emitInTransaction(trx, emailVerified, { user_id: userId })
      return 'verified'
    }
    await confirmations.cancelAll(trx, userId)
    // Tokens carry the address before.
    await endTokens(trx, userId, accessTokens)
    await events.emitInTransaction(trx, emailChanged, { user_id: userId })
    const undo = await confirmations.begin(trx, {
      purpose: 'email_undo',
      // Each change has a way back of its own, with the full time.
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
   * Takes an account back to the address before, as its mailbox asks, and begins the reset that
   * follows. The ways back of changes before that one stay: who has changed the address twice must
   * not take the first way back away by the second.
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
    // A way back of a version before does not say when its change was asked for.
    const since = typeof facts.since === 'number' ? facts.since : createdAt
    const { hadNewPassword } = await undoSince(trx, userId, since)
    await endTokens(trx, userId, everything)
    const restored = { user_id: userId, password_removed: hadNewPassword }
    await events.emitInTransaction(trx, emailRestored, restored)
    const now = await accountIn(trx, userId)
    const { mail } = await confirmations.begin(trx, {
      purpose: 'reset',
      // No one else can ask for the same, and repeat it.
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
   * The address of an account that is locked or disabled changes no more. The way back alone brings an
   * account back that waits for its deletion, and the flags of administrators stay.
   */
  function isDenied(account: Account, purpose: ConfirmationPurpose): boolean {
    const since = { now: account, before: account }
    const isBack = purpose === 'email_undo' && account.deletionAt !== null
    return isBack
      ? requirements.unmet('return', { account: { ...account, deletionAt: null }, since }) !== null
      : requirements.unmet('change', { account, since }) !== null
  }

  /** Runs work with the lock of the account, then what follows the end of tokens. */
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

/**
 * Gives an account a verified address, in the transaction of its proof: of a sign-up, for example.
 * `now` is in epoch milliseconds. @throws ApiError emailExists if another account has the address
 */
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

/** The account whose verified address this is; null if there is none. */
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
