import { ApiError } from '../../core/errors.ts'
import { nameOfUser } from './presets/apple.ts'

/** Of the callback: a name that the browser has brought, unverified. */
export const nameParameter = 'name'

const formats = {
  state: /^[\w-]{43}$/,
  code: /^[\x21-\x7e]{1,2048}$/,
  error: /^[\w.-]{1,64}$/,
  iss: /^[\x21-\x7e]{1,255}$/,
} as const

/**
 * The query of the callback for what a provider has posted (OAuth 2.0 Form Post Response Mode). An
 * ID token in the form is dropped: the callback gets one from the provider itself.
 * @throws ApiError signInFailed
 */
export function handedOn(fields: Readonly<Record<string, unknown>>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, format] of Object.entries(formats)) {
    const value = fields[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || !format.test(value)) throw invalid(name)
    query.set(name, value)
  }
  if (!query.has('state') || query.has('code') === query.has('error')) throw invalid('state, code')
  const name = nameOfUser(fields.user)
  if (name !== undefined) query.set(nameParameter, name)
  return query
}

function invalid(what: string): ApiError {
  const detail = `the form holds no valid ${what}`
  const reason = { code: 'provider_return_invalid', facts: { detail } } as const
  return new ApiError('signInFailed', { cause: new Error(detail), reason })
}
