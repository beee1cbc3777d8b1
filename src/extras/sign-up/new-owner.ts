import type { EmailAddress } from '../../core/addresses/email.ts'
import type { Config } from '../../core/config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { checkAll } from '../../core/http/bodies/faults.ts'
import { compileCheck } from '../../core/http/bodies/validation.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Username } from '../../core/lib/username.ts'
import type { Role } from '../../core/policy/principal.ts'
import type { AccountField, StoreAccountField } from '../../modules/accounts/account-field.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import { reservedUsernames } from '../../modules/accounts/new-username.ts'
import { parseChosenUsername } from '../../modules/accounts/parse.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { assertPlausiblePassword } from '../../modules/passwords/rules.ts'
import type { TakenUsernames } from '../../modules/throttle/taken-usernames.ts'
import { setVerifiedEmail } from '../email-addresses/emails.ts'
import type { Confirmation, Confirmations } from '../one-time-tokens/confirmations.ts'
import { Profile } from './schemas.ts'

/** Unchecked form input. */
export interface ProfileInput {
  readonly username: string
  readonly name: string
  readonly password: string
  /** Fields of other modules, by name. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface NewOwner {
  readonly profile: ProfileInput
  /** Used up by the transaction of the account. */
  readonly confirmation: Confirmation
  readonly address: EmailAddress
  readonly roles: readonly Role[]
  readonly language: Language
  /** Client address, for the limit of taken usernames. */
  readonly client: string
  /** Runs first in the transaction. */
  readonly guard?: Guard
  /** Runs in the same transaction. */
  readonly also?: ((trx: DatabaseOrTransaction, userId: number) => Promise<void>) | undefined
}

export interface NewOwnerDeps {
  readonly accountFields: () => readonly AccountField[]
  readonly accounts: Pick<Accounts, 'prepare'>
  readonly clock: Clock
  readonly config: Pick<Config, 'pages' | 'password' | 'reservedUsernames' | 'signUp'>
  readonly confirmations: Pick<Confirmations, 'use'>
  readonly db: Database
  readonly takenUsernames: TakenUsernames
}

let checkProfile: ReturnType<typeof compileCheck> | undefined

/**
 * Creates account and user in one transaction, after the address is verified. Also sets
 * `users.email`, the contact address, which may change later without verification.
 * @throws ApiError validationFailed, usernameExists, emailExists, errors of `accountFields`; tooManyRequests after too many
 * taken usernames, the proof stays valid; confirmationInvalid if another request used the proof
 */
export async function createOwner(deps: NewOwnerDeps, wanted: NewOwner): Promise<Account> {
  const { accounts, clock, confirmations, db, takenUsernames } = deps
  const { address, confirmation, language, profile, roles } = wanted
  const { username, stores } = await parseProfile(profile, address, deps)
  await assertAddressFree(db, address)
  const prepare = () =>
    accounts.prepare({
      username,
      password: profile.password,
      roles,
      mustChange: false,
      user: { name: profile.name, email: address.address },
      language,
      also: async (trx, userId) => {
        await setVerifiedEmail(trx, userId, address, clock.now())
        for (const store of stores) await store(trx, userId)
        await wanted.also?.(trx, userId)
      },
    })
  const attempt = { confirmation: confirmation.id, address: wanted.client }
  return takenUsernames.attempt(attempt, async () => {
    const make = await prepare()
    const work = async (trx: DatabaseOrTransaction) => {
      await confirmations.use(trx, confirmation)
      return make(trx)
    }
    return transact(db, [lockName.username(username)], work, wanted.guard)
  })
}

export interface Owner {
  readonly userId: number
  readonly username: string
}

export async function ownerOf(
  db: DatabaseOrTransaction,
  { key }: EmailAddress,
): Promise<Owner | null> {
  const row = await db
    .selectFrom('accounts')
    .select(['user_id', 'username'])
    .where('verified_email_key', '=', key)
    .where(isPresentAccount)
    .executeTakeFirst()
  return row ? { userId: row.user_id, username: row.username } : null
}

export async function assertAddressFree(
  db: DatabaseOrTransaction,
  address: EmailAddress,
): Promise<void> {
  const owner = await ownerOf(db, address)
  if (!owner) return
  const reason = { code: 'address_taken', facts: { user_id: owner.userId } } as const
  throw new ApiError('emailExists', { reason })
}

/** @throws ApiError validationFailed with all mistakes */
async function parseProfile(
  profile: ProfileInput,
  address: EmailAddress,
  { accountFields, config }: Pick<NewOwnerDeps, 'accountFields' | 'config'>,
): Promise<{ readonly username: Username; readonly stores: readonly StoreAccountField[] }> {
  checkProfile ??= compileCheck(Profile)
  const details = (await checkProfile)(profile)
  const reserved = reservedUsernames(config)
  const username = () => parseChosenUsername(profile.username, reserved, address.key)
  const owner = { username: profile.username, email: address.address }
  const password = { text: profile.password, field: 'password', ...owner }
  const more = accountFields().map(
    (field) => () => field.check(profile.more?.[field.name], 'owner'),
  )
  checkAll([username, () => assertPlausiblePassword(password, config), ...more], details)
  return { username: username(), stores: more.map((check) => check()) }
}
