import type { components } from '../../api/openapi.d.ts'

type Question = components['schemas']['Question']

/** What was typed: one text, and the request that an account would send; empty for its login. */
export interface Asked {
  readonly text: string
  readonly route: string
}

const maxShared = 320 // of a mail address
const maxName = 64
// The header of a token is a JSON object: in base64url it begins like this.
const tokenStart = /^ey[A-Z]/
const threeParts = /^[\w-]+\.[\w-]*\.[\w-]*$/

/**
 * Whether a text may stand in the address of the page, which is shared and kept by the browser: a
 * request id, a username or a mail address, and nothing that could be a token.
 */
export function canBeShared(text: string): boolean {
  const isToken = tokenStart.test(text) || (threeParts.test(text) && text.length > maxName)
  return !isToken && text.length <= maxShared
}

/** The question for the API. */
export function questionOf({ text, route }: Asked): Question {
  return route === '' ? { text } : { username: text, route }
}
