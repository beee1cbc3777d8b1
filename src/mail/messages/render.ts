import type { Language } from '../../config/people-settings.ts'
import { de } from '../languages/de.ts'
import { en, type Texts } from '../languages/en.ts'
import type { MessageContext, Render } from '../message-types.ts'
import { type Letter, type Part, plainName, toText } from './letter.ts'
import { letterOfNotice } from './notices.ts'
import { letterOfRequest } from './requests.ts'
import { toHtml } from './to-html.ts'

const languages: Record<Language, Texts> = { en, de }

/** What the letter of a message is written from: names are harmless in a line, addresses are whole. */
export interface Writing {
  readonly texts: Texts
  readonly name: string
  readonly context: MessageContext
  /** The address of a page of this service. */
  readonly page: (path: string) => string
  readonly letter: (subject: string, parts: readonly (Part | null)[]) => Letter
}

/**
 * Writes a message in a language: subject, text and HTML. The subject holds no secret, because
 * screens show subjects while they are locked. All names are made harmless here.
 */
export const render: Render = (message, facts, language, context) => {
  const texts = languages[language]
  const name = plainName(context.name)
  const writing: Writing = {
    texts,
    name,
    context,
    page: (path) => `${context.baseUrl}${path}`,
    letter: (subject, parts) => ({
      subject,
      parts: parts.filter((part): part is Part => part !== null && part !== ''),
      footer: texts.footer(name, context.baseUrl),
    }),
  }
  const letter = letterOfNotice(writing, message, facts) ?? letterOfRequest(writing, message, facts)
  return { subject: letter.subject, text: toText(letter), html: toHtml(letter, language) }
}
