import { isEmail, parseEmail } from '../../core/addresses/email.ts'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { UniqueViolation } from '../../core/database/errors.ts'
import { KeptRows } from '../../core/database/kept-rows.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { codePointLength } from '../../core/lib/text.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Role } from '../../core/policy/principal.ts'
import { faultOfChosen, newUsername, reservedUsernames } from '../accounts/new-username.ts'
import type { Account } from '../authentication/account.ts'
import { identityLinked, identityUnlinked } from './events.ts'
import { identityStore, type LinkedIdentity, type Subject } from './identity-store.ts'
import { identityNotFound, linkedToAnother } from './problems.ts'
import type { Provider } from './provider.ts'

/**
 * Accounts by identity (issuer, subject). No other claim counts, in particular no email address,
 * which an attacker's provider can choose.
 */
export interface Identities {
  /** Cached until the database changes. */
  accountOf(subject: Subject): Promise<Account | null>
  /** Creates the account if sign-up is on. @throws ApiError accessDenied otherwise */
  signIn(provider: Provider, person: IdentityClaims): Promise<Account>
  /**
   * @throws ApiError identityLinked if linked to another account; invalidCredentials if the account
   * has ended its logins
   */
  link(account: Account, subject: Subject, guard?: Guard): Promise<void>
  of(userId: number): Promise<LinkedIdentity[]>
  ownerOf(subject: Subject): Promise<number | null>
  /** As subjects of events: `issuer#sub`. */
  subjectsOf(trx: DatabaseOrTransaction, userId: number): Promise<string[]>
  /** @throws ApiError identityNotFound */
  assertLinked(userId: number, id: number): Promise<void>
  /** @throws ApiError identityNotFound */
  unlink(userId: number, id: number, guard?: Guard): Promise<void>
  /** Since `since` (epoch milliseconds), except the identity that created the account. */
  unlinkSince(trx: DatabaseOrTransaction, userId: number, since: number): Promise<void>
}

/** From ID token and UserInfo. */
export interface IdentityClaims extends Subject {
  readonly username: string | undefined
  readonly email: string | undefined
  readonly isEmailVerified: boolean
  readonly name: string | undefined
  /** Epoch milliseconds; absent without the claim. */
  readonly authTime: number | undefined
  /** Null without the claim. */
  readonly roles: readonly Role[] | null
}

/** Null: the identity is linked to no account. */
interface KnownIdentity {
  readonly account: Account | null
}

const maxNameLength = 100 // spec 2.1
const plainSuffixes = 9
const suffixBytes = 6
const maxSuffixLength = 10

export function createIdentities(
  deps: Pick<Needs, 'accounts' | 'config' | 'db' | 'feed' | 'clock' | 'events' | 'random'>,
): Identities {
  const { accounts, config, db, feed, clock, events, random } = deps
  const store = identityStore(db)
  const known = new KeptRows<KnownIdentity>(feed, ({ account }) =>
    account ? ['identities', `user ${account.userId}`] : ['identities'],
  )

  return {
    async accountOf(subject) {
      const key = JSON.stringify([subject.issuer, subject.subject])
      const read = () => known.read(key, async () => ({ account: await stored(subject) }))
      return (known.get(key) ?? (await read())).account
    },

    async signIn(provider, person) {
      const account = await stored(person)
      if (account) return account
      const { client } = provider.config
      if (!client?.signsUp) {
        const facts = { provider: provider.config.name }
        throw new ApiError('accessDenied', { reason: { code: 'sign_up_off', facts } })
      }
      return signUp(person, person.roles ?? client.defaultRoles)
    },

    async link(account, subject, guard) {
      const insert = async (trx: DatabaseOrTransaction) => {
        await accounts.reread(trx, account)
        const how = { createdAt: clock.now(), madeAccount: false }
        await identityStore(trx).insert(account.userId, subject, how)
        const linked = { user_id: account.userId, issuer: subject.issuer }
        await events.emitInTransaction(trx, identityLinked, linked)
      }
      try {
        await transact(db, [lockName.account(account.userId)], insert, guard)
      } catch (error) {
        if (!(error instanceof UniqueViolation)) throw error
        const owner = await store.userIdOf(subject)
        if (owner === account.userId) return
        const reason = { code: 'identity_of_another', facts: { user_id: owner } } as const
        throw new ApiError(linkedToAnother, { cause: error, reason })
      }
    },

    of: store.of,
    ownerOf: store.userIdOf,

    async subjectsOf(trx, userId) {
      const linked = await identityStore(trx).of(userId)
      return linked.map(({ issuer, subject }) => `${issuer}#${subject}`)
    },

    async assertLinked(userId, id) {
      const linked = await store.of(userId)
      if (!linked.some((identity) => identity.id === id)) throw identityAbsent()
    },

    async unlink(userId, id, guard) {
      const remove = async (trx: DatabaseOrTransaction) => {
        const issuer = await identityStore(trx).remove(userId, id)
        if (issuer === null) throw identityAbsent()
        await events.emitInTransaction(trx, identityUnlinked, {
          user_id: userId,
          identity: id,
          issuer,
        })
      }
      await transact(db, [lockName.account(userId)], remove, guard)
    },

    async unlinkSince(trx, userId, since) {
      for (const { id, issuer } of await identityStore(trx).removeSince(userId, since)) {
        await events.emitInTransaction(trx, identityUnlinked, {
          user_id: userId,
          identity: id,
          issuer,
        })
      }
    },
  }

  async function stored(subject: Subject): Promise<Account | null> {
    const userId = await store.userIdOf(subject)
    return userId === null ? null : accounts.byUserId(userId)
  }

  async function signUp(person: IdentityClaims, roles: readonly Role[]): Promise<Account> {
    const { email, issuer } = person
    if (email === undefined || !isEmail(email)) {
      throw new ApiError('accessDenied', {
        reason: { code: 'sign_up_without_email', facts: { issuer } },
      })
    }
    const reserved = reservedUsernames(config)
    const proven = await provenAddress(person)
    const mayHave = (name: Username) => faultOfChosen(name, reserved, proven) === null
    for (const username of usernames(person, mayHave, random)) {
      try {
        return await accounts.create({
          username,
          password: null,
          roles,
          mustChange: false,
          user: { name: nameOf(person, username), email },
          issuer,
          also: (trx, userId) =>
            identityStore(trx).insert(userId, person, {
              createdAt: clock.now(),
              madeAccount: true,
            }),
        })
      } catch (error) {
        const isTaken = error instanceof ApiError && error.row === 'usernameExists'
        if (!isTaken && !(error instanceof UniqueViolation)) throw error
        const first = await stored(person) // created by a concurrent sign-in of the same user
        if (first) return first
      }
    }
    throw new ApiError('accessDenied', {
      reason: { code: 'sign_up_names_taken', facts: { issuer } },
    })
  }

  /** Only if stated as verified and not verified by another account. */
  async function provenAddress({ email, isEmailVerified }: IdentityClaims): Promise<string | null> {
    const address = isEmailVerified && email !== undefined ? parseEmail(email) : null
    return address && !(await accounts.byEmail(address.key)) ? address.key : null
  }
}

export function identityAbsent(): ApiError {
  return new ApiError(identityNotFound, { reason: { code: 'no_such_identity' } })
}

export function linkedUser(db: DatabaseOrTransaction, subject: Subject): Promise<number | null> {
  return identityStore(db).userIdOf(subject)
}

/**
 * preferred_username, email address or subject, then with suffixes; for an address, after the local
 * part.
 */
function* usernames(
  { username, email, subject }: IdentityClaims,
  mayHave: (name: Username) => boolean,
  random: Random,
): Generator<Username> {
  const base = [username, email, subject]
    .map((text) => (text === undefined ? null : newUsername(text)))
    .find((name) => name !== null && mayHave(name))
  const whole = base && parseEmail(base) ? base.slice(0, base.lastIndexOf('@')) : base
  const stem = [...(whole ?? 'user')].slice(0, 64 - maxSuffixLength).join('')
  if (base) yield base
  const suffixes = Array.from({ length: plainSuffixes }, (_, index) => String(index + 2))
  for (const suffix of [...suffixes, randomText(random, suffixBytes)]) {
    const name = newUsername(`${stem}-${suffix}`)
    if (name && mayHave(name)) yield name
  }
}

function nameOf({ name }: IdentityClaims, username: Username): string {
  const text = (name ?? '').trim()
  if (text === '') return username
  return codePointLength(text) > maxNameLength ? [...text].slice(0, maxNameLength).join('') : text
}
