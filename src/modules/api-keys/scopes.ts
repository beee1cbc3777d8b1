import { refuseField } from '../../core/errors.ts'
import type { Module } from '../../core/module/module.ts'
import type { KeyKind } from './store.ts'

export interface KeyScopes {
  /** All that routes have. */
  readonly all: readonly string[]
  /** What keys of the kind can have; `<name>:*` stands for all of a name. */
  of(kind: KeyKind): readonly string[]
  /** Without `*`. */
  covered(names: readonly string[]): string[]
  /** Unique, in the order of `of`. @throws ApiError validationFailed */
  parse(names: readonly string[], kind: KeyKind): string[]
}

/** Scopes whose routes reject app passwords. */
const neverOfAppPasswords = ['account', 'accounts', 'audit', 'profile']

export function scopesIn(modules: readonly Pick<Module, 'scopes'>[]): KeyScopes {
  const all = [...new Set(modules.flatMap(({ scopes = [] }) => scopes))].sort()
  const names = [...new Set(all.map(nameOf))]
  const offered = (kind: KeyKind) =>
    [...all, ...names.map((name) => `${name}:*`)]
      .filter((one) => kind === 'key' || !neverOfAppPasswords.includes(nameOf(one)))
      .sort()

  return {
    all,
    of: offered,
    covered: (wanted) =>
      all.filter((one) => wanted.includes(one) || wanted.includes(`${nameOf(one)}:*`)),
    parse(wanted, kind) {
      const known = offered(kind)
      const index = wanted.findIndex((one) => !known.includes(one))
      if (index >= 0)
        refuseField(['scopes', String(index)], {
          en: `must be one of ${known.join(', ')}`,
          de: `muss eines von diesen sein: ${known.join(', ')}`,
        })
      return known.filter((one) => wanted.includes(one))
    },
  }
}

function nameOf(scope: string): string {
  return scope.slice(0, scope.indexOf(':'))
}
