import type { Context } from 'oidc-provider'
import type { Library } from './library.ts'

/** A code in a fragment is for implicit flows, and stays in the history of the browser. */
export const responseModes: readonly string[] = ['query', 'form_post']

/** What we refuse of an authorization request in addition to the library. */
export function checksOfParameters({ errors }: Library) {
  const { UnsupportedResponseMode = Error } = errors
  return {
    response_mode(_: Context, mode: string | undefined): void {
      if (mode === undefined || responseModes.includes(mode)) return
      throw new UnsupportedResponseMode()
    },
  }
}

/** Before the library answers an error: other checks may fail before that of `response_mode`. */
export function keepErrorOutOfFragment({ oidc: { params } }: Context): void {
  if (params && params.response_mode !== 'form_post') params.response_mode = 'query'
}
