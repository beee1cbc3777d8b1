import type { Language } from '../../src/core/lib/languages.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** All texts of one language: the English has the keys, and the others must have the same. */
export type Texts = typeof en

const all: Readonly<Record<Language, Texts>> = { en, de }

export function textsOf(language: Language): Texts {
  return all[language]
}

/** Each language in its own words. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
