import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import { accountIn, accountsIn } from '../../modules/accounts/accounts.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { SentFactor } from '../../modules/authentication/proofs.ts'
import type { Stage } from '../../modules/authentication/requirement-table.ts'
import { reasonOfUnmet } from '../../modules/authentication/requirements.ts'
import { countFailure } from '../../modules/throttle/limits.ts'
import { accountWithEmail, setVerifiedEmail } from '../email-addresses/emails.ts'
import { assertMail } from '../mail/outbox.ts'
import type { Begun, BegunCode, Confirmation } from '../one-time-tokens/confirmations.ts'
import { resetFinished, resetRequested } from './events.ts'
import { accountUnusable } from './problems.ts'
import type { ResetIdentifier } from './reset-identifier.ts'
import { resetWayOf } from './ways.ts'

/**
 * Password reset by a link or code to the stored verified address, never the typed one. Requires
 * the unchanged second factor; never signs in.
 */
export interface Recovery {
  /**
   * Response, statements and time are the same without an account, to prevent enumeration.
   * @throws ApiError mailUnavailable; tooManyRequests per client
   */
  begin(identifier: ResetIdentifier, options: BeginOptions): Promise<BegunCode>
  /**
   * The administrator sees neither, and provides an address if none is verified; the reset verifies
   * it.
   * @throws ApiError mailUnavailable; accountUnusable, emailNotVerified, emailExists,
   * validationFailed
   */
  beginFor(
    account: Account,
    email: string | undefined,
    options: BeginForOptions,
  ): Promise<Pick<Begun['mail'], 'expiresAt'>>
  /** @throws ApiError confirmationInvalid if login is impossible */
  accountOf(confirmation: Confirmation): Promise<Account>
  /**
   * Wrong proofs count towards the lockout, but a lockout does not block resets: the caller may be
   * the owner.
   * @throws as `Factors.prove`
   */
  proveFactor(account: Account, sent: SentFactor, options: ProveFactorOptions): Promise<void>
  /**
   * Ends all logins, other mailed links, the lockout and a required password change. Unlinks
   * identities linked since the last password login, except the initial one.
   * @throws ApiError confirmationInvalid, validationFailed; as `Factors.prove`
   */
  finish(confirmation: Confirmation, wanted: ResetInput): Promise<void>
  /**
   * Whether the owner can cancel the deletion without a password, because the account uses a
   * provider only.
   */
  needsNoPassword(confirmation: Confirmation, account: Account): Promise<boolean>
  /**
   * Cancels such a deletion.
   * @throws ApiError confirmationInvalid, validationFailed if a password is required; as
   * `Factors.prove`
   */
  takeBack(confirmation: Confirmation, options: Omit<ResetInput, 'newPassword'>): Promise<void>
}

export interface BeginOptions {
  /** The account's language takes precedence. */
  readonly language: Language
  /** The address for limits. */
  readonly client: string
  /** Null for the API. */
  readonly flow: string | null
}

export interface BeginForOptions {
  readonly language: Language
  readonly guard?: Guard | undefined
}

export interface ProveFactorOptions {
  /** The address for the limit of passkeys. */
  readonly address: string
  readonly purpose?: string
}

export interface ResetInput {
  readonly newPassword: string
  /** The address for the limit of passkeys. */
  readonly address: string
  /** Null if proved before. */
  readonly factor: SentFactor | null
  /** Runs in the same transaction, to advance the flow. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<unknown>
}

export type RecoveryDeps = Pick<
  Needs,
  | 'accounts'
  | 'clock'
  | 'confirmations'
  | 'db'
  | 'devices'
  | 'events'
  | 'factors'
  | 'identities'
  | 'lock'
  | 'passkeyLimits'
  | 'outbox'
  | 'requirements'
>

const field = 'new_password'
// A lockout does not block the change, which ends it.
const stage = 'change'
const noUsername = '' as Username

export function createRecovery(deps: RecoveryDeps): Recovery {
  const { accounts, clock, confirmations, db, devices, events, lock, outbox } = deps
  const { factors, identities, passkeyLimits, requirements } = deps

  const recovery: Recovery = {
    async begin(identifier, { language, client, flow }) {
      assertMail(outbox)
      const userId = await userOf(identifier)
      // Same locks and statements without an account.
      return transact(db, [lockName.account(userId ?? identifier.key)], async (trx) => {
        const account = await accountIn(trx, userId ?? 0)
        const address = account?.email ? parseEmail(account.email) : null
        const isKnown = account !== null && address !== null && unmetOf(account) === null
        const wanted = { asked: identifier.key, flow, client, language }
        return mail(trx, isKnown ? { account, address, ...wanted } : { account: null, ...wanted })
      })
    },

    async beginFor({ userId }, email, { language, guard }) {
      assertMail(outbox)
      const work = async (trx: DatabaseOrTransaction) => {
        const account = await accountIn(trx, userId)
        if (!account) throw goneMeanwhile('accountNotFound')
        const unmet = unmetOf(account)
        if (unmet) {
          throw new ApiError(accountUnusable, {
            reason: reasonOfUnmet(unmet, stage, { account }),
          })
        }
        const verified = account.email === null ? null : parseEmail(account.email)
        const address = verified ?? (await vouched(trx, account, email))
        if (verified && email !== undefined) {
          refuseField(['email'], {
            en: 'is for an account without a verified address',
            de: 'ist für ein Konto ohne bestätigte Adresse',
          })
        }
        // Separate, so that strangers' requests cannot end an administrator's.
        const asked = verified ? `email ${verified.key}` : `vouched ${userId} ${address.key}`
        const of = { account, address, asked, flow: null, language }
        const isVouched = verified === null
        return (await mail(trx, { ...of, by: 'administrator', isVouched })).mail
      }
      return transact(db, [lockName.account(userId)], work, guard)
    },

    async accountOf(confirmation) {
      const { userId } = confirmation
      const account = userId === null ? null : await accountIn(db, userId)
      const { stage: asked, judged } = resetWayOf(confirmation)
      if (account && !unmetOf(judged(account), asked)) return account
      throw outlived(confirmation)
    },

    async proveFactor(account, sent, { address, purpose }) {
      const how = purpose === undefined ? {} : { purpose }
      // Wrong passkeys count for the address, and lock no account.
      if (factors.isBothFactors(sent)) {
        return passkeyLimits.attempt({ address }, async () => {
          await factors.prove(account, sent, how)
        })
      }
      const failed = (trx: DatabaseOrTransaction) =>
        countFailure({ events, failures: lock }, trx, account.username, 'reset')
      await factors.prove(account, sent, { ...how, failed })
    },

    async finish(confirmation, { address, newPassword, factor, also }) {
      const account = await recovery.accountOf(confirmation)
      const { userId, username } = account
      const way = resetWayOf(confirmation)
      const asksFactor = account.secondFactor && factor !== null
      // Before password errors are shown. Only acceptable passwords use a proof up.
      if (asksFactor && !factors.isSent(factor))
        await recovery.proveFactor(account, factor, { address })
      await accounts.replacePassword(account, {
        text: newPassword,
        field,
        stage: way.stage,
        endsKeys: true,
        prove: async () => {
          if (asksFactor) await recovery.proveFactor(account, factor, { address })
        },
        first: async (trx) => {
          await useUp(trx, confirmation, account)
          // A session stolen since then may have linked them. Without a known password login, the
          // linker is unknown.
          const since = (await accountsIn(trx).lastPasswordLogin(userId)) ?? 0
          await identities.unlinkSince(trx, userId, since)
        },
        also: async (trx) => {
          await lock.lift(trx, username)
          await confirmations.cancelAll(trx, userId)
          await devices.forget(trx, userId)
          await verify(trx, confirmation)
          await events.emitInTransaction(trx, resetFinished, {
            user_id: userId,
            method: confirmation.by,
          })
          await also?.(trx)
        },
      })
    },

    async needsNoPassword({ purpose }, { passwordHash, userId }) {
      if (purpose !== 'deletion_undo' || passwordHash !== null) return false
      return (await identities.of(userId)).length > 0
    },

    async takeBack(confirmation, { address, factor, also }) {
      const account = await recovery.accountOf(confirmation)
      const { userId } = account
      if (!(await recovery.needsNoPassword(confirmation, account))) {
        refuseField([field], { en: 'is required', de: 'fehlt' })
      }
      if (account.secondFactor && factor !== null) {
        await recovery.proveFactor(account, factor, { address })
      }
      await transact(db, [lockName.account(userId)], async (trx) => {
        await useUp(trx, confirmation, account)
        await accounts.reread(trx, account, resetWayOf(confirmation).stage)
        await also?.(trx)
      })
    },
  }
  return recovery

  async function useUp(
    trx: DatabaseOrTransaction,
    confirmation: Confirmation,
    account: Account,
  ): Promise<void> {
    await confirmations.use(trx, confirmation)
    if (!(await resetWayOf(confirmation).first(deps, trx, account))) throw outlived(confirmation)
  }

  function unmetOf(account: Account, asked: Stage = stage) {
    return requirements.unmet(asked, { account, since: { now: account, before: account } })
  }

  /** Always queries both, for constant cost. */
  async function userOf({ username, address }: ResetIdentifier): Promise<number | null> {
    const owner = await accounts.byEmail(address?.key ?? '')
    const named = await accounts.byUsername(username ?? noUsername)
    return (owner ?? named)?.userId ?? null
  }

  interface Mailed extends Omit<BeginOptions, 'client'> {
    readonly account: Account | null
    readonly address?: EmailAddress | null
    readonly asked: string
    readonly client?: string
    readonly by?: 'administrator'
    readonly isVouched?: boolean
  }

  async function mail(
    trx: DatabaseOrTransaction,
    { account, address = null, asked, flow, client, language, by, isVouched = false }: Mailed,
  ): Promise<Begun> {
    const userId = account?.userId ?? null
    const begun = await confirmations.begin(trx, {
      purpose: 'reset',
      asked,
      userId,
      address,
      version: account?.refreshVersion ?? 0,
      flow,
      language,
    })
    const { flow: ownFlow, ...link } = begun.mail
    // The address is unproved.
    const username = isVouched ? null : (account?.username ?? '')
    await events.emitInTransaction(trx, resetRequested, { user_id: userId }, { hidesPerson: true })
    await outbox.add(trx, {
      message: 'reset',
      to: { userId, address },
      ...link,
      // An administrator's mail has no code.
      flow: by === undefined ? ownFlow : null,
      facts: { username, ...(by && { by }) },
      language,
      // Strangers' requests must not block the owner's link. One per link lifetime.
      isBeyondHours: by === 'administrator',
      ...(client !== undefined && { client }),
    })
    return begun
  }

  async function vouched(
    trx: DatabaseOrTransaction,
    { userId }: Account,
    email: string | undefined,
  ): Promise<EmailAddress> {
    if (email === undefined) {
      const reason = { code: 'email_not_verified', facts: { user_id: userId } } as const
      throw new ApiError('emailNotVerified', { reason })
    }
    const address =
      parseEmail(email) ??
      refuseField(['email'], {
        en: 'must be an e-mail address',
        de: 'muss eine E-Mail-Adresse sein',
      })
    if (!(await accountWithEmail(trx, address))) return address
    const reason = { code: 'email_of_another', facts: { user_id: userId } } as const
    throw new ApiError('emailExists', { reason })
  }

  /** The mailed link proves the mailbox. */
  async function verify(trx: DatabaseOrTransaction, confirmation: Confirmation): Promise<void> {
    const { address, userId } = confirmation
    const account = userId === null ? null : await accountIn(trx, userId)
    if (!account) throw outlived(confirmation)
    // Keeps an address that the owner has verified since the request.
    const present = account.email === null ? null : parseEmail(account.email)
    if (present && present.key !== address.key) throw outlived(confirmation)
    const owner = await accountWithEmail(trx, address)
    if (owner === null || owner.userId === account.userId) {
      await setVerifiedEmail(trx, account.userId, address, clock.now())
    }
  }
}

function outlived({ userId, purpose }: Pick<Confirmation, 'userId' | 'purpose'>): ApiError {
  const reason = { code: 'confirmation_outlived', facts: { user_id: userId, purpose } } as const
  return new ApiError('confirmationInvalid', { reason })
}
