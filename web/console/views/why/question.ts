import type { components } from '../../api/openapi.d.ts'

type Question = components['schemas']['Question']

/** What was typed: one text, and the request that an account would send; empty for its login. */
export interface Asked {
  readonly text: string
  readonly route: string
}

const maxShared = 320 // of a mail address

/**
 * Whether a text may stand in the address of the page, which is shared and kept by the browser: a
 * request id, a username or a mail address, and nothing that could be a token.
 */
export function canBeShared(text: string): boolean {
  return text.length <= maxShared && !text.startsWith('eyJ') && text.split('.').length !== 3
}

/** The question for the API. */
export function questionOf({ text, route }: Asked): Question {
  return route === '' ? { text } : { username: text, route }
}
