import type { LookUpReason } from '../../core/module/reasons.ts'
import { type Remedy, remedies } from '../../core/reasons/types.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Requirements } from '../../modules/authentication/requirements.ts'
import type { LimitName } from '../../modules/throttle/keys.ts'
import type { ThrottleOverview } from '../../modules/throttle/overview.ts'

export interface Refused {
  readonly account: Account | null
  /** Null without a refused request. */
  readonly address: string | null
  /** Null: nothing refuses now; returns all remedies for logins. */
  readonly code: string | null
  /** Administrators change their own account elsewhere. */
  readonly caller: string | null
}

export interface RemediesDeps {
  readonly canSendReset: () => boolean
  readonly lookUpReason: LookUpReason
  readonly requirements: Pick<Requirements, 'lockedOutUntil' | 'unmet'>
  readonly throttle: Pick<ThrottleOverview, 'ofAccount' | 'ofAddress'>
}

/** Codes that `clear_address` remedies, for any account. */
const limitsOfAddress: ReadonlyMap<string | null, LimitName> = new Map([
  ['limit_address', 'address'],
  ['limit_client_address', 'client_address'],
])

/** The best remedy first; excludes remedies without effect or that would be refused. */
export async function remediesFor(
  deps: RemediesDeps,
  { account, address, caller, code }: Refused,
): Promise<Remedy[]> {
  const ofAddress = limitsOfAddress.get(code)
  if (ofAddress) {
    const limits = address === null ? [] : await deps.throttle.ofAddress(address)
    const isCounted = limits.some(({ count, used }) => count === ofAddress && used > 0)
    return isCounted ? ['clear_address'] : []
  }
  if (!account) return []
  const unmet = deps.requirements.unmet('session', { account })?.requirement
  if (unmet === 'no_deletion') return [] // only the owner can cancel
  const isUsable = unmet !== 'account_usable'
  const wanted =
    code === null
      ? remedies.filter(isAboutLogins)
      : withAccess((await deps.lookUpReason(code)).remedies ?? [], isUsable)
  const isOwn = caller === String(account.userId)
  const applies = await applicable(deps, account, { isOwn, isUsable })
  return wanted.filter((remedy) => applies[remedy])
}

/** An account that cannot log in needs access first. */
function withAccess(own: readonly Remedy[], isUsable: boolean): readonly Remedy[] {
  if (own.length === 0 || isUsable) return own
  return [...new Set<Remedy>(['unlock', 'enable', ...own])]
}

function isAboutLogins(remedy: Remedy): boolean {
  return remedy !== 'change_roles' && remedy !== 'clear_address'
}

async function applicable(
  { canSendReset, requirements, throttle }: RemediesDeps,
  account: Account,
  { isOwn, isUsable }: { readonly isOwn: boolean; readonly isUsable: boolean },
): Promise<Readonly<Record<Remedy, boolean>>> {
  const isLockedOut = requirements.lockedOutUntil(account) !== null
  const isCounted = isLockedOut || account.failedLogins > 0
  const limits = isCounted ? [] : await throttle.ofAccount(account)
  return {
    unlock: account.locked,
    enable: !account.active,
    clear_address: false, // not per account
    clear_throttle: isCounted || limits.length > 0,
    send_reset: !isOwn && isUsable && account.email !== null && canSendReset(),
    set_password: !isOwn,
    remove_second_factor: !isOwn && account.secondFactor,
    change_roles: true,
  }
}
