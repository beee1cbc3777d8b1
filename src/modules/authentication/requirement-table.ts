import { errorTable } from '../../core/error-table.ts'
import type { ErrorName } from '../../core/errors.ts'

export const stages = [
  'login',
  'basic',
  'provider',
  'providerPage',
  'ticket',
  'passkey',
  'commit',
  'providerCommit',
  'passkeyCommit',
  'change',
  'return',
  'basicCaller',
  'refresh',
  'session',
  'external',
  'key',
] as const
export type Stage = (typeof stages)[number]

/**
 * The result of an unmet requirement:
 * - the name of an error: thrown
 * - `challenge`: a login step can meet the requirement
 * - `unauthenticated`: the caller is not authenticated
 * - `enrolment-only`: the same, except on routes that enrol a factor
 * - `anonymous`: the caller continues without the account
 * - empty: not checked
 */
export type Cell = ErrorName | 'challenge' | 'unauthenticated' | 'enrolment-only' | 'anonymous' | ''

type Row<Stages> = { readonly [Index in keyof Stages]: Cell }

const [guess, deny, fail] = ['invalidCredentials', 'accessDenied', 'signInFailed'] as const
const [again, renew, token] = [
  'authenticationRequired',
  'invalidRefreshToken',
  'invalidOrExpiredToken',
] as const
const [change, challenge, unauthenticated, enrolmentOnly, anonymous] = [
  'passwordChangeRequired',
  'challenge',
  'unauthenticated',
  'enrolment-only',
  'anonymous',
] as const
const none = ''

/**
 * The requirements of accounts; no other place decides them. Within a stage the refusals are asked
 * first, then the other cells, each in the order of the rows. docs/adr/0029
 *
 * A pending deletion is checked before the flags of administrators, because a sign-in through a
 * provider must not show that the account exists.
 *
 * - `login`: after any method has proved the account, in POST /login, Basic and a password change.
 * - `basic`: in addition, for a request by Basic; `basicCaller`: in the transaction of its change.
 * - `provider`: after an identity provider; `providerPage`: the same on pages, which can ask for more.
 * - `passkey`: after a passkey alone. The lockout does not refuse a passkey, because others cause
 *   the lockout by guessing passwords. The passkey meets the second factor and the enrolment.
 * - `ticket`: when the caller returns with the asked code, or a flow of pages goes on.
 * - `commit`, `providerCommit`, `passkeyCommit`: in the transaction that completes a login.
 * - `change`: in the transaction in which a caller changes its own account.
 * - `return`: in the transaction that takes back the deletion of an account, which the flags of
 *   administrators do not deny.
 * - `refresh`: when a refresh token is used or inspected.
 * - `session`, `external`: at each request of a caller by session or external token. A session of a
 *   remembered device has no second factor: it ends with a role that must have one.
 * - `key`: when a key is read, which is again after each change of its account.
 */
// biome-ignore format: a table is read by its columns
export const requirementTable = {
  //                login      basic  provid     provpg     ticket  passkey    commit  provid  passk.  change  return  basic            refresh  sess.            external   key
  no_deletion:     [guess,     guess, fail,      fail,      fail,   guess,     guess,  fail,   guess,  guess,  guess,  unauthenticated, renew,   unauthenticated, token,     unauthenticated],
  of_person:       [guess,     guess, fail,      fail,      fail,   guess,     guess,  fail,   guess,  guess,  guess,  unauthenticated, renew,   none,            token,     none           ],
  account_usable:  [guess,     guess, deny,      deny,      fail,   guess,     guess,  guess,  guess,  guess,  none,   unauthenticated, renew,   unauthenticated, token,     unauthenticated],
  not_locked_out:  [guess,     guess, deny,      deny,      none,   none,      guess,  deny,   none,   none,   none,   none,            none,    none,            none,      none           ],
  unchanged:       [none,      none,  none,      none,      fail,   none,      guess,  guess,  guess,  guess,  guess,  none,            renew,   none,            none,      none           ],
  same_password:   [none,      none,  none,      none,      none,   none,      none,   none,   none,   none,   none,   unauthenticated, none,    none,            none,      none           ],
  second_factor:   [challenge, again, challenge, challenge, none,   challenge, none,   none,   none,   none,   none,   unauthenticated, none,    unauthenticated, anonymous, none           ],
  password_change: [challenge, again, change,    challenge, none,   none,      none,   none,   none,   none,   none,   unauthenticated, none,    none,            anonymous, none           ],
  enrolment:       [challenge, again, challenge, challenge, none,   challenge, none,   none,   none,   none,   none,   unauthenticated, renew,   enrolmentOnly,   anonymous, none           ],
} as const satisfies Record<string, Row<typeof stages>>

export type Requirement = keyof typeof requirementTable
export type Step = Extract<Requirement, 'second_factor' | 'password_change' | 'enrolment'>

export function isRefusal(cell: Cell): cell is ErrorName {
  return cell in errorTable
}
