import type { Language } from '../../../core/lib/languages.ts'
import { de } from '../languages/de.ts'
import { en, type Texts } from '../languages/en.ts'
import type { Render } from '../message-types.ts'
import { type Part, plainName, toText } from './letter.ts'
import { letterOfNotice } from './notices.ts'
import { letterOfRequest } from './requests.ts'
import { toHtml } from './to-html.ts'
import type { Writing } from './writing.ts'

const languages: Record<Language, Texts> = { en, de }

/**
 * Renders subject, text and HTML, and sanitizes all names. No secret in the subject: lock screens
 * show subjects.
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
      from: name,
      subject,
      parts: parts.filter((part): part is Part => part !== null && part !== ''),
      footer: texts.footer(name, context.baseUrl),
    }),
  }
  const letter = letterOfNotice(writing, message, facts) ?? letterOfRequest(writing, message, facts)
  return { subject: letter.subject, text: toText(letter), html: toHtml(letter, language) }
}
