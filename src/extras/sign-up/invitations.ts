import type { EmailAddress } from '../../core/addresses/email.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type Guard,
  lockName,
  takeExclusiveLocks,
  transact,
} from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import { accountIn } from '../../modules/accounts/accounts.ts'
import { type Account, isAdministrator } from '../../modules/authentication/account.ts'
import { assertMail } from '../mail/outbox.ts'
import type { Confirmation } from '../one-time-tokens/confirmations.ts'
import {
  invitationAccepted,
  invitationCreated,
  invitationResent,
  invitationRevoked,
} from './events.ts'
import { type Invitation, stateOf } from './invitation.ts'
import { type InvitationStoreDeps, invitationStores } from './invitation-store.ts'
import { assertAddressFree, createOwner, type NewOwnerDeps } from './new-owner.ts'
import { invitationClosed, invitationNotFound } from './problems.ts'
import type { FinishingSignUp } from './sign-up.ts'

/**
 * An administrator names an address and roles; the reader of that mailbox creates the account. Only
 * the row has the roles. Independent of SIGN_UP. docs/sign-up.md
 */
export interface Invitations {
  assertMail(): void
  /** Replaces a pending invitation to the address. @throws ApiError emailExists */
  create(trx: DatabaseOrTransaction, wanted: InvitationInput): Promise<Invitation>
  /**
   * Sends a pending invitation again with the same link and end, an expired invitation with a new
   * link. The caller becomes the inviter.
   * @throws ApiError invitationNotFound, invitationClosed, emailExists
   */
  resend(id: number, by: Inviter, checks?: InvitationChecks): Promise<Invitation>
  /** Also for an expired invitation. @throws ApiError invitationNotFound, invitationClosed */
  revoke(id: number, checks?: InvitationChecks): Promise<Invitation>
  page(offset: number, limit: number): Promise<Invitation[]>
  count(): Promise<number>
  ofUser(userId: number): Promise<Invitation[]>
  /**
   * The link stays valid. @throws ApiError confirmationInvalid, also if the inviter lost the right
   */
  find(token: string): Promise<OpenInvitation>
  /** @throws ApiError as `find`, `createOwner` */
  accept(open: OpenInvitation, wanted: FinishingSignUp): Promise<Account>
  /** Omits removed roles. */
  rolesOf(invitation: Pick<Invitation, 'roles'>): Role[]
  /** Deletes up to `batchSize` old invitations; returns how many. */
  purge(batchSize: number): Promise<number>
}

/** `operator`: the command line. */
export type Inviter = { readonly userId: number; readonly username: string } | 'operator'

export interface InvitationInput {
  readonly email: EmailAddress
  readonly name: string | null
  readonly roles: readonly Role[]
  readonly language: Language
  readonly by: Inviter
}

export interface InvitationChecks {
  /** Reauthorizes the caller in the transaction; absent on the command line. */
  readonly guard?: Guard | undefined
  /** Throws to reject the change. */
  readonly assertMay?: (invitation: Invitation) => void
}

export interface OpenInvitation {
  readonly invitation: Invitation
  readonly confirmation: Confirmation
}

export type InvitationsDeps = NewOwnerDeps &
  InvitationStoreDeps &
  Pick<Needs, 'config' | 'confirmations' | 'events' | 'outbox' | 'random'>

const purposes = ['invitation'] as const
const nonceBytes = 9
/** Listed after the end. */
const keptMs = 90 * 86_400_000

export function createInvitations(deps: InvitationsDeps): Invitations {
  const { clock, config, confirmations, db, events, outbox, random } = deps
  const stores = invitationStores(deps)

  return {
    assertMail: () => assertMail(outbox),
    page: (offset, limit) => stores.of(db).page(offset, limit),
    count: () => stores.of(db).count(),
    ofUser: (userId) => stores.of(db).ofUser(userId),
    rolesOf,
    purge: (batchSize) => stores.of(db).purge(clock.now() - keptMs, batchSize),

    async create(trx, { email, name, roles, language, by }) {
      // Two administrators may invite the same person at once.
      await takeExclusiveLocks(trx, lockName.invitation(stores.indexOf(email)))
      await assertAddressFree(trx, email)
      await replacePending(trx, email)
      const now = clock.now()
      const nonce = randomText(random, nonceBytes)
      const { confirmation, expiresAt } = await confirm(trx, { email, nonce, language })
      const wanted = {
        email,
        nonce,
        name,
        roles,
        language,
        ...columnsOf(by),
        confirmation,
        createdAt: now,
        expiresAt,
      }
      const id = await stores.of(trx).insert(wanted)
      const invitation = { ...wanted, id, acceptedAt: null, revokedAt: null, userId: null }
      await mail(trx, invitation, by)
      await events.emitInTransaction(trx, invitationCreated, fieldsOf(invitation))
      return invitation
    },

    resend: (id, by, checks) =>
      changing(id, checks, async (trx, before) => {
        await assertAddressFree(trx, before.email)
        if (stateOf(before, clock.now()) === 'expired') await replacePending(trx, before.email)
        const { confirmation, expiresAt } = await confirm(trx, before)
        const renewed = { ...before, ...columnsOf(by), confirmation, expiresAt }
        await stores.of(trx).renew(renewed)
        await mail(trx, renewed, by)
        await events.emitInTransaction(trx, invitationResent, fieldsOf(renewed))
        return renewed
      }),

    revoke: (id, checks) =>
      changing(id, checks, async (trx, before) => {
        const revokedAt = clock.now()
        if (!(await stores.of(trx).revoke(id, revokedAt))) throw closed(before)
        await confirmations.withdraw(trx, before.confirmation) // cancels an unsent mail
        await events.emitInTransaction(trx, invitationRevoked, {
          ...fieldsOf(before),
          reason: 'revoked',
        })
        return { ...before, revokedAt }
      }),

    async find(token) {
      const confirmation = await confirmations.openByToken(token, purposes)
      return openOf(db, confirmation)
    },

    async accept({ confirmation, invitation: found }, { also, ...wanted }) {
      const { invitedBy } = found
      return createOwner(deps, {
        ...wanted,
        confirmation,
        address: found.email,
        roles: rolesOf(found),
        // The inviter must be an administrator until the commit.
        guard: {
          lockNames: () => (invitedBy === null ? [] : [lockName.account(invitedBy)]),
          authorize: async (trx) => void (await openOf(trx, confirmation)),
        },
        async also(trx, userId) {
          if (!(await stores.of(trx).accept(found.id, userId, clock.now()))) throw dead(found)
          await events.emitInTransaction(trx, invitationAccepted, {
            ...fieldsOf(found),
            user_id: userId,
          })
          await also?.(trx, userId)
        },
      })
    },
  }

  function rolesOf({ roles }: Pick<Invitation, 'roles'>): Role[] {
    return rolesAmong(roles, config.roles)
  }

  function fieldsOf(invitation: Invitation) {
    return { invitation: invitation.id, roles: rolesOf(invitation) }
  }

  async function replacePending(trx: DatabaseOrTransaction, email: EmailAddress): Promise<void> {
    const now = clock.now()
    const pending = await stores.of(trx).pendingTo(email, now)
    if (!pending || !(await stores.of(trx).revoke(pending.id, now))) return
    await confirmations.withdraw(trx, pending.confirmation)
    await events.emitInTransaction(trx, invitationRevoked, {
      ...fieldsOf(pending),
      reason: 'replaced',
    })
  }

  /** A resend reuses the confirmation of the invitation. */
  async function confirm(
    trx: DatabaseOrTransaction,
    { email, nonce, language }: Pick<Invitation, 'email' | 'nonce' | 'language'>,
  ) {
    const begun = await confirmations.begin(trx, {
      purpose: 'invitation',
      asked: `${email.key}|${nonce}`,
      userId: null,
      address: email,
      version: 0,
      flow: null,
      language,
    })
    return begun.mail
  }

  async function mail(
    trx: DatabaseOrTransaction,
    { email, name, confirmation, expiresAt, language }: Invitation,
    by: Inviter,
  ): Promise<void> {
    await outbox.add(trx, {
      message: 'invitation',
      to: { address: email },
      confirmation,
      facts: { name, invitedBy: by === 'operator' ? null : by.username },
      language,
      expiresAt,
    })
  }

  /** Requires an invitation that is neither accepted nor revoked. */
  async function changing(
    id: number,
    { guard, assertMay }: InvitationChecks = {},
    work: (trx: DatabaseOrTransaction, before: Invitation) => Promise<Invitation>,
  ): Promise<Invitation> {
    const seen = await stores.of(db).byId(id)
    if (!seen) throw absent()
    const change = async (trx: DatabaseOrTransaction) => {
      const before = await stores.of(trx).byIdForUpdate(id)
      if (!before) throw absent()
      assertMay?.(before)
      if (before.acceptedAt !== null || before.revokedAt !== null) throw closed(before)
      return work(trx, before)
    }
    return transact(db, [lockName.invitation(stores.indexOf(seen.email))], change, guard)
  }

  /** @throws ApiError confirmationInvalid */
  async function openOf(
    from: DatabaseOrTransaction,
    confirmation: Confirmation,
  ): Promise<OpenInvitation> {
    const invitation = await stores.of(from).byConfirmation(confirmation.id)
    if (!invitation) {
      throw new ApiError('confirmationInvalid', { reason: { code: 'no_such_invitation' } })
    }
    if (stateOf(invitation, clock.now()) !== 'pending') throw dead(invitation)
    if (!(await isBacked(from, invitation))) {
      const facts = { invitation: invitation.id, invited_by: invitation.invitedBy }
      const reason = { code: 'inviter_not_allowed', facts } as const
      throw new ApiError('confirmationInvalid', { reason })
    }
    return { invitation, confirmation }
  }

  /** Whether the inviter is still an administrator. */
  async function isBacked(
    from: DatabaseOrTransaction,
    { invitedBy, isOfOperator }: Invitation,
  ): Promise<boolean> {
    if (isOfOperator) return true
    const inviter = invitedBy === null ? null : await accountIn(from, invitedBy)
    return inviter !== null && isAdministrator(inviter)
  }

  function reasonOf(invitation: Invitation) {
    const facts = { invitation: invitation.id, state: stateOf(invitation, clock.now()) }
    return { code: 'invitation_closed', facts } as const
  }

  function closed(invitation: Invitation): ApiError {
    return new ApiError(invitationClosed, { reason: reasonOf(invitation) })
  }

  function dead(invitation: Invitation): ApiError {
    return new ApiError('confirmationInvalid', { reason: reasonOf(invitation) })
  }
}

export function absent(): ApiError {
  return new ApiError(invitationNotFound, { reason: { code: 'no_such_invitation' } })
}

function columnsOf(by: Inviter): Pick<Invitation, 'invitedBy' | 'isOfOperator'> {
  return by === 'operator'
    ? { invitedBy: null, isOfOperator: true }
    : { invitedBy: by.userId, isOfOperator: false }
}
