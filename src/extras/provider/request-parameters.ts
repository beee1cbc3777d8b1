import type { Context } from 'oidc-provider'
import type { Library } from './library.ts'

/** A code in a fragment is for implicit flows, and stays in the history of the browser. */
export const responseModes: readonly string[] = ['query', 'form_post']

/** What we refuse of an authorization request in addition to the library. */
export function checksOfParameters({ errors }: Library) {
  const { UnsupportedResponseMode = Error } = errors
  return {
    response_mode({ oidc: { params } }: Context, mode: string | undefined): void {
      if (mode === undefined || responseModes.includes(mode)) return
      params.response_mode = undefined // the error comes by the query
      throw new UnsupportedResponseMode()
    },
  }
}
