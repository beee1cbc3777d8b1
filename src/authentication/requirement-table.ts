import { type ErrorName, errorTable } from '../kernel/errors.ts'
import { inColumns } from '../kernel/text.ts'

/** What is asked for: a login and what completes it, a change of one's own, a request. */
export const columns = [
  'login',
  'basic',
  'provider',
  'ticket',
  'commit',
  'providerCommit',
  'change',
  'basicCaller',
  'refresh',
  'session',
  'external',
] as const
export type Column = (typeof columns)[number]

/**
 * A refusal by its name; a step that can meet the requirement; a caller that counts as absent, there
 * unless the route enrols a factor, or goes on without the account; or nothing is asked.
 */
export type Cell = ErrorName | 'ask' | 'absent' | 'enrols' | 'guest' | ''

/** A cell for each column. */
type Row<Columns> = { readonly [Index in keyof Columns]: Cell }

const [guess, deny, fail] = ['invalidCredentials', 'accessDenied', 'signInFailed'] as const
const [again, renew, token] = [
  'authenticationRequired',
  'invalidRefreshToken',
  'invalidOrExpiredToken',
] as const
const [change, ask, gone, enrol, guest] = [
  'passwordChangeRequired',
  'ask',
  'absent',
  'enrols',
  'guest',
] as const
const none = ''

/**
 * What must hold of an account before it gets what it asks for: the only place that says so. Of a
 * column the refusals are asked before the rest; each in the order of the rows. docs/adr/0029
 *
 * - `login`: behind each method, of POST /login, of Basic and of a change of the own password.
 * - `basic`: what a request asks besides; `basicCaller`: when that request changes something.
 * - `provider`: behind an identity provider; `ticket`: back with the code that was asked for.
 * - `commit`, `providerCommit`: in the transaction that completes one of these; `change`: in that of
 *   a change of the own account.
 * - `refresh`: a refresh token, used or inspected; `session`, `external`: a caller, at each request.
 */
// biome-ignore format: a table is read by its columns
export const requirementTable = {
  //                login  basic  provid ticket commit provid change basic  refresh sess. external
  account_usable:  [guess, guess, deny,  fail,  guess, guess, guess, gone,  renew, gone,  token],
  not_locked_out:  [guess, guess, deny,  none,  guess, deny,  none,  none,  none,  none,  none ],
  unchanged:       [none,  none,  none,  fail,  guess, guess, guess, none,  renew, none,  none ],
  same_password:   [none,  none,  none,  none,  none,  none,  none,  gone,  none,  none,  none ],
  second_factor:   [ask,   again, ask,   none,  none,  none,  none,  gone,  none,  none,  guest],
  password_change: [ask,   again, change, none, none,  none,  none,  gone,  none,  none,  guest],
  enrolment:       [ask,   again, ask,   none,  none,  none,  none,  gone,  renew, enrol, guest],
} as const satisfies Record<string, Row<typeof columns>>

export type Requirement = keyof typeof requirementTable
/** Those that a step of a login can meet. */
export type Step = Extract<Requirement, 'second_factor' | 'password_change' | 'enrolment'>

export function isRefusal(cell: Cell): cell is ErrorName {
  return cell in errorTable
}

/** The table as docs/access.txt has it: a line for each column, where it asks anything a cell. */
export function describeRequirements(): string {
  const requirements = Object.entries(requirementTable)
  const lines = columns.map((column, index) => [
    column,
    ...requirements.map(([, cells]) => cells[index] || '-'),
  ])
  return inColumns([['ASKED OF', ...requirements.map(([name]) => name)], ...lines])
}
