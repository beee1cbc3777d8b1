import type { Account } from '../../modules/authentication/account.ts'
import type { Requirements } from '../../modules/authentication/requirements.ts'
import type { LimitName } from '../../modules/throttle/keys.ts'
import type { ThrottleOverview } from '../../modules/throttle/overview.ts'

/** What an administrator can do about a refusal; each is one request. docs/explain.md */
export const mends = [
  'unlock',
  'enable',
  'clear_throttle',
  'clear_address',
  'send_reset',
  'set_password',
  'remove_second_factor',
  'change_roles',
] as const
export type Mend = (typeof mends)[number]

/** Which account was refused, and what it was refused for. */
export interface Mendable {
  readonly account: Account | null
  /** The address of the refused request; null if none was refused. */
  readonly address: string | null
  /** Null: nothing refuses it now; then all that can be done about its logins. */
  readonly code: string | null
  /** The subject of the administrator, who mends the own account elsewhere. */
  readonly caller: string | null
}

export interface MendsDeps {
  readonly canSendReset: () => boolean
  readonly requirements: Pick<Requirements, 'lockedOutUntil' | 'unmet'>
  readonly throttle: Pick<ThrottleOverview, 'ofAccount' | 'ofAddress'>
}

const password = ['clear_throttle', 'send_reset', 'set_password'] as const
const factor = ['clear_throttle', 'remove_second_factor'] as const

/** The codes that `clear_address` mends, whatever account the request named. */
const codesOfAddress: ReadonlyMap<string, LimitName> = new Map([
  ['limit_address', 'address'],
  ['limit_client_address', 'client_address'],
])

/** The mends of each code, the first being the one to try first. */
const mendsOfCodes: Readonly<Record<string, readonly Mend[]>> = {
  account_locked: ['unlock'],
  account_disabled: ['enable'],
  account_locked_out: password,
  account_must_change_password: ['send_reset', 'set_password'],
  account_needs_factor: ['remove_second_factor'],
  account_without_password: ['send_reset', 'set_password'],
  captcha_absent: password,
  captcha_wrong: password,
  confirmation_expired: ['send_reset'],
  confirmation_outlived: ['send_reset'],
  confirmation_tries_used: ['send_reset'],
  confirmation_used: ['send_reset'],
  external_account_unusable: ['unlock', 'enable'],
  limit_account_address: password,
  limit_second_factor: factor,
  limit_username_address: password,
  password_change_absent: ['send_reset', 'set_password'],
  recovery_code_wrong: factor,
  role_lacking: ['change_roles'],
  second_factor_absent: ['remove_second_factor'],
  second_factor_wrong: factor,
  wrong_password: password,
}

/** The codes that have a mend, for the test that compares them with the registry. */
export const codesWithMend: readonly string[] = [
  ...Object.keys(mendsOfCodes),
  ...codesOfAddress.keys(),
]

/**
 * What can be done about a refusal of an account as it is now, the first being the one to try first:
 * what would change nothing, or be refused itself, is left out.
 */
export async function mendsFor(
  deps: MendsDeps,
  { account, address, caller, code }: Mendable,
): Promise<Mend[]> {
  const ofAddress = codesOfAddress.get(code ?? '')
  if (ofAddress) {
    const limits = address === null ? [] : await deps.throttle.ofAddress(address)
    const isCounted = limits.some(({ count, used }) => count === ofAddress && used > 0)
    return isCounted ? ['clear_address'] : []
  }
  if (!account) return []
  const unmet = deps.requirements.unmet('session', { account })?.requirement
  if (unmet === 'no_deletion') return [] // the owner alone takes it back
  const isUsable = unmet !== 'account_usable'
  const wanted = code === null ? mends.filter(isAboutLogins) : mendsOf(code, isUsable)
  const isOwn = caller === String(account.userId)
  const applies = await applicable(deps, account, { isOwn, isUsable })
  return wanted.filter((mend) => applies[mend])
}

/** An account that cannot log in at all needs that first, whatever it was refused for. */
function mendsOf(code: string, isUsable: boolean): readonly Mend[] {
  const own = Object.hasOwn(mendsOfCodes, code) ? (mendsOfCodes[code] ?? []) : []
  if (own.length === 0 || isUsable) return own
  return [...new Set<Mend>(['unlock', 'enable', ...own])]
}

function isAboutLogins(mend: Mend): boolean {
  return mend !== 'change_roles' && mend !== 'clear_address'
}

async function applicable(
  { canSendReset, requirements, throttle }: MendsDeps,
  account: Account,
  { isOwn, isUsable }: { readonly isOwn: boolean; readonly isUsable: boolean },
): Promise<Readonly<Record<Mend, boolean>>> {
  const isLockedOut = requirements.lockedOutUntil(account) !== null
  const isCounted = isLockedOut || account.failedLogins > 0
  const limits = isCounted ? [] : await throttle.ofAccount(account)
  return {
    unlock: account.locked,
    enable: !account.active,
    clear_address: false, // no mend of an account
    clear_throttle: isCounted || limits.length > 0,
    send_reset: !isOwn && isUsable && account.email !== null && canSendReset(),
    set_password: !isOwn,
    remove_second_factor: !isOwn && account.secondFactor,
    change_roles: true,
  }
}
