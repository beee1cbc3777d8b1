import { isStorableText } from '../../../core/lib/text.ts'
import { wrong } from '../guarded-fetch.ts'

type Raw = Readonly<Record<string, unknown>>

/** @throws ApiError identityProvider */
export function objectOf(value: unknown): Raw {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('the provider answers no JSON object about the person')
  }
  return value as Raw
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && isStorableText(value) ? value : undefined
}

/** Empty for what is no JSON object. */
export function objectIn(text: unknown): Raw {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : null
    return typeof value === 'object' && value !== null ? (value as Raw) : {}
  } catch {
    return {}
  }
}
