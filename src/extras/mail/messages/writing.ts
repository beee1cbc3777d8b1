import type { Language } from '../../../core/lib/languages.ts'
import type { Texts } from '../languages/en.ts'
import type { MessageContext } from '../message-types.ts'
import type { Letter, Part } from './letter.ts'

/** Names are sanitized; addresses are full URLs. */
export interface Writing {
  readonly texts: Texts
  readonly language: Language
  readonly name: string
  readonly context: MessageContext
  readonly page: (path: string) => string
  readonly letter: (subject: string, parts: readonly (Part | null)[]) => Letter
}
