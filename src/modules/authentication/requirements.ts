import type { Config } from '../../core/config/load.ts'
import { ApiError, type RefusalReason } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { type Account, isUsable } from './account.ts'
import type { Evidence } from './evidence.ts'
import { type AddedRequirements, cellsByStage, type Outside } from './requirement-cells.ts'
import type { Facts } from './requirement-facts.ts'
import {
  type Cell,
  isRefusal,
  type Requirement,
  type Stage,
  type Step,
} from './requirement-table.ts'

export interface Unmet {
  readonly requirement: Requirement | Outside
  readonly cell: Exclude<Cell, ''>
}

declare const brand: unique symbol

/** Only `Requirements.pass` creates this type. */
export interface Passed<Of extends Stage | Outside> extends Evidence {
  readonly stage: Of
  readonly [brand]: true
}

export interface Requirements {
  /** Epoch milliseconds; null if not locked out. */
  lockedOutUntil(account: Pick<Account, 'lockedUntil'>): number | null
  /** Whether a role of REQUIRE_SECOND_FACTOR asks for a second factor. */
  mustHaveFactor(account: Pick<Account, 'roles'>): boolean
  unmet(stage: Stage | Outside, facts: Facts): Unmet | null
  /** @throws ApiError the first refusal */
  refuse(stage: Stage | Outside, facts: Facts): void
  /** Returns the passed evidence, or the next step of the login. @throws ApiError as `refuse` */
  pass<Of extends Stage | Outside>(stage: Of, evidence: Evidence): Passed<Of> | Step
}

export interface RequirementsDeps {
  readonly config: Pick<Config, 'login' | 'secondFactor'>
  readonly clock: Clock
  readonly added?: AddedRequirements
}

export function createRequirements({ config, clock, added }: RequirementsDeps): Requirements {
  const { lock } = config.login
  const { requiredOf } = config.secondFactor
  const asked = askedCells(added)

  const isMetOfOurs: Record<Requirement, (facts: Facts) => boolean> = {
    no_deletion: ({ account: { deletionAt = null } }) => deletionAt === null,
    account_usable: ({ account }) => isUsable(account),
    // Sessions and tokens stay valid.
    not_locked_out: ({ account }) => requirements.lockedOutUntil(account) === null,
    // Every change that ends all logins raises the version.
    unchanged: ({ since }) => since !== undefined && hasSameVersion(since),
    // For a caller who sends the password with each request. A rehash keeps the version, and an end
    // of all logins keeps the hash: one must be unchanged.
    same_password({ since }) {
      if (since === undefined) return false
      const { passwordHash } = since.before
      const hasHash = typeof passwordHash === 'string' && passwordHash === since.now.passwordHash
      return hasHash || hasSameVersion(since)
    },
    second_factor: ({ account, amr = [] }) => !account.secondFactor || amr.includes('mfa'),
    password_change: ({ account }) => !account.mustChange,
    enrolment: ({ account }) => account.secondFactor || !requirements.mustHaveFactor(account),
  }

  const isMet = (requirement: Requirement | Outside, facts: Facts) =>
    isOutside(requirement)
      ? added?.requirements?.[requirement]?.isMet(facts) === true
      : isMetOfOurs[requirement](facts)

  const requirements: Requirements = {
    lockedOutUntil({ lockedUntil }) {
      const holds = lock.after > 0 && lockedUntil !== null && lockedUntil > clock.now()
      return holds ? lockedUntil : null
    },

    mustHaveFactor: ({ roles }) => requiredOf.some((role) => roles.includes(role)),

    unmet(stage, facts) {
      const cells = asked.get(stage)
      if (!cells) throw new Error(`no module adds the stage ${stage}`)
      for (const [requirement, cell] of cells) {
        if (!isMet(requirement, facts)) return { requirement, cell }
      }
      return null
    },

    refuse(stage, facts) {
      const unmet = requirements.unmet(stage, facts)
      if (!unmet || !isRefusal(unmet.cell)) return
      throw new ApiError(unmet.cell, { reason: reasonOfUnmet(unmet, stage, facts) })
    },

    pass(stage, evidence) {
      const unmet = requirements.unmet(stage, evidence)
      if (unmet && isRefusal(unmet.cell)) {
        throw new ApiError(unmet.cell, { reason: reasonOfUnmet(unmet, stage, evidence) })
      }
      if (unmet && isStep(unmet)) return unmet.requirement
      if (unmet) throw new Error(`${stage} completes nothing`)
      return { ...evidence, stage } as Passed<typeof stage> // the only place
    },
  }
  return requirements
}

const codes = {
  no_deletion: 'account_waits_for_deletion',
  unchanged: 'account_changed',
  same_password: 'account_password_changed',
  second_factor: 'account_needs_factor',
  password_change: 'account_must_change_password',
  enrolment: 'account_must_enrol',
} as const satisfies Partial<Record<Requirement, string>>

export function reasonOfUnmet(
  { requirement }: Pick<Unmet, 'requirement'>,
  stage: Stage | Outside,
  { account }: Pick<Facts, 'account'>,
): RefusalReason {
  const facts = { user_id: account.userId ?? null, asked_of: stage }
  if (requirement === 'account_usable') {
    return { code: account.locked ? 'account_locked' : 'account_disabled', facts }
  }
  if (requirement === 'not_locked_out') {
    return { code: 'account_locked_out', facts: { ...facts, until: account.lockedUntil } }
  }
  return { code: isOutside(requirement) ? requirement : codes[requirement], facts }
}

function isOutside(requirement: Requirement | Outside): requirement is Outside {
  return requirement.startsWith('x-')
}

/** Non-empty cells, in the order of the checks. */
function askedCells(added: AddedRequirements | undefined) {
  return new Map(
    [...cellsByStage(added)].map(([stage, all]) => {
      const cells = all.flatMap(([name, cell]) => (cell === '' ? [] : [[name, cell] as const]))
      const refusals = cells.filter(([, cell]) => isRefusal(cell))
      return [stage, [...refusals, ...cells.filter(([, cell]) => !isRefusal(cell))]]
    }),
  )
}

function hasSameVersion({ now, before }: NonNullable<Facts['since']>): boolean {
  return now.refreshVersion === before.refreshVersion
}

function isStep(unmet: Unmet): unmet is Unmet & { readonly requirement: Step } {
  return unmet.cell === 'challenge'
}
