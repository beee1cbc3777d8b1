import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError, type ErrorName } from '../kernel/errors.ts'
import { type Account, isUsable } from './account.ts'
import type { Amr, Evidence } from './evidence.ts'

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
 * login: behind any method, POST /login. basic: every request with a password of its own. provider:
 * behind an identity provider; ticket: back with the code that it still asked for. commit, its like
 * for a provider, and change: again inside the transaction that completes it. basicCaller, session,
 * external: a caller that is judged by each request. refresh: a refresh token, used or inspected.
 */
/** A cell for each column. */
type Row<Columns> = { readonly [Index in keyof Columns]: Cell }

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

/** What of an account is asked. */
export type Judged = Pick<
  Account,
  'active' | 'locked' | 'lockedUntil' | 'mustChange' | 'roles' | 'secondFactor'
>

/** By what an account is the same as before. */
export interface Version {
  readonly refreshVersion: number
  readonly passwordHash?: string
}

export interface Facts {
  readonly account: Judged
  readonly amr?: readonly Amr[]
  /** The account as it is now and as it was, for the columns that ask whether it is unchanged. */
  readonly since?: { readonly now: Version; readonly before: Version }
}

/** The first requirement that is not met. */
export interface Unmet {
  readonly requirement: Requirement
  readonly cell: Exclude<Cell, ''>
}

declare const brand: unique symbol

/** Evidence that meets all that a column asks: nothing but `Requirements.pass` makes one. */
export interface Passed<Of extends Column> extends Evidence {
  readonly column: Of
  readonly [brand]: true
}

export interface Requirements {
  /** When the automatic lock of an account ends, epoch milliseconds; null where none holds now. */
  lockedOutUntil(account: Pick<Account, 'lockedUntil'>): number | null
  /** Null where the account meets all that the column asks. */
  unmet(column: Column, facts: Facts): Unmet | null
  /** @throws ApiError the refusal of the first requirement that refuses */
  refuse(column: Column, facts: Facts): void
  /** What completes a login, or the step before it. @throws ApiError as `refuse` */
  pass<Of extends Column>(column: Of, evidence: Evidence): Passed<Of> | Step
}

export interface RequirementsDeps {
  readonly config: Pick<Config, 'login' | 'secondFactor'>
  readonly clock: Clock
}

export function createRequirements({ config, clock }: RequirementsDeps): Requirements {
  const { lock } = config.login
  const { requiredOf } = config.secondFactor

  const isMet: Record<Requirement, (facts: Facts) => boolean> = {
    account_usable: ({ account }) => isUsable(account),
    // The automatic lock: too many failures in a row. It ends nothing that was given out before.
    not_locked_out: ({ account }) => requirements.lockedOutUntil(account) === null,
    // Whatever ends all logins raises the version.
    unchanged: ({ since }) => since !== undefined && hasSameVersion(since),
    // A caller who shows it with each request may: a better hash keeps the version, an end of all
    // logins keeps the hash.
    same_password({ since }) {
      if (since === undefined) return false
      const { passwordHash } = since.before
      const hasHash = passwordHash !== undefined && passwordHash === since.now.passwordHash
      return hasHash || hasSameVersion(since)
    },
    second_factor: ({ account, amr = [] }) => !account.secondFactor || amr.includes('mfa'),
    password_change: ({ account }) => !account.mustChange,
    enrolment: ({ account }) =>
      account.secondFactor || !account.roles.some((role) => requiredOf.includes(role)),
  }

  const requirements: Requirements = {
    lockedOutUntil({ lockedUntil }) {
      const holds = lock.after > 0 && lockedUntil !== null && lockedUntil > clock.now()
      return holds ? lockedUntil : null
    },

    unmet(column, facts) {
      for (const [requirement, cell] of asked[column]) {
        if (!isMet[requirement](facts)) return { requirement, cell }
      }
      return null
    },

    refuse(column, facts) {
      const { cell = null } = requirements.unmet(column, facts) ?? {}
      if (isRefusal(cell)) throw new ApiError(cell)
    },

    pass(column, evidence) {
      const unmet = requirements.unmet(column, evidence)
      if (unmet && isRefusal(unmet.cell)) throw new ApiError(unmet.cell)
      if (unmet && isStep(unmet)) return unmet.requirement
      if (unmet) throw new Error(`${column} completes nothing`)
      return { ...evidence, column } as Passed<typeof column> // the one place that makes one
    },
  }
  return requirements
}

type Asked = readonly (readonly [Requirement, Exclude<Cell, ''>])[]

/** By column, in the order in which they are asked. */
const asked = Object.fromEntries(
  columns.map((column, index) => {
    const cells = Object.entries(requirementTable).flatMap(([name, row]) => {
      const cell: Cell = row[index] ?? none
      return cell === none ? [] : [[name as Requirement, cell] as const] // its own keys
    })
    const [refusals, rest] = [true, false].map((is) =>
      cells.filter((one) => isRefusal(one[1]) === is),
    )
    return [column, [...(refusals ?? []), ...(rest ?? [])]]
  }),
) as unknown as Readonly<Record<Column, Asked>> // one of each column

function hasSameVersion({ now, before }: NonNullable<Facts['since']>): boolean {
  return now.refreshVersion === before.refreshVersion
}

function isRefusal(cell: Cell | null): cell is ErrorName {
  return cell !== null && !['ask', 'absent', 'enrols', 'guest', ''].includes(cell)
}

function isStep(unmet: Unmet): unmet is Unmet & { readonly requirement: Step } {
  return unmet.cell === 'ask'
}
