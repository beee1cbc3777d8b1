import type { Texts } from '../languages/en.ts'
import type { MessageContext } from '../message-types.ts'
import type { Letter, Part } from './letter.ts'

/** What the letter of a message is written from: names are harmless in a line, addresses are whole. */
export interface Writing {
  readonly texts: Texts
  readonly name: string
  readonly context: MessageContext
  /** The address of a page of this service. */
  readonly page: (path: string) => string
  readonly letter: (subject: string, parts: readonly (Part | null)[]) => Letter
}
