import { type Hook, subscribersOf } from '../../core/module/hooks.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    accountClaims: AccountClaims
  }
}

export const claimPlaces = ['access_token', 'id_token', 'userinfo'] as const
export type ClaimPlace = (typeof claimPlaces)[number]

/** Claims about the owner of an account that another module adds. */
export interface AccountClaims {
  /** May change while the service runs. */
  names(place: ClaimPlace): readonly string[]
  /** Those that have a value. */
  of(userId: number, place: ClaimPlace): Promise<Readonly<Record<string, unknown>>>
}

/** Of all modules. Reads nothing if there are no names. */
export function allClaims(hook: Hook<AccountClaims>): AccountClaims {
  const names = (place: ClaimPlace) => subscribersOf(hook).flatMap((one) => one.names(place))
  return {
    names,
    async of(userId, place) {
      if (names(place).length === 0) return {}
      const all = subscribersOf(hook).map((one) => one.of(userId, place))
      return Object.assign({}, ...(await Promise.all(all)))
    },
  }
}
