import type { components } from '../../api/openapi.d.ts'

type Question = components['schemas']['Question']

/** What was typed: one text, and the request that an account would send; empty for its login. */
export interface Asked {
  readonly text: string
  readonly route: string
}

const maxName = 64
// The header of a token is a JSON object: in base64url it begins like this, also behind `Bearer`.
const tokenStart = /(?:^|[^\w-])ey[A-Z][\w-]+(?:\.|$)/
const email = /^[^\s/?#=]+@[^\s/?#=]+$/
const maxEmail = 320

/**
 * Whether a text may stand in the address of the page, which is shared and kept by the browser and by
 * proxies: a request id, a username or a mail address, and nothing that could be a token or the link
 * of a mail.
 */
export function canBeShared(text: string): boolean {
  if (tokenStart.test(text)) return false
  return [...text].length <= maxName || (text.length <= maxEmail && email.test(text))
}

/** The text as it is asked about: a token is often copied with the header that it stood in. */
export function askedText(typed: string): string {
  return typed.trim().replace(/^(?:authorization:\s*)?bearer\s+/i, '')
}

/** The question for the API. */
export function questionOf({ text, route }: Asked): Question {
  return route === '' ? { text } : { username: text, route }
}
