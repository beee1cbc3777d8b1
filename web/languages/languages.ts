import { files as ofPagesInGerman } from 'found:de.ts'
import { files as ofPages } from 'found:en.ts'
import type { Language } from '../../src/core/lib/languages.ts'
import type { common } from './en/common.ts'
import type { passwordProblem } from './en/password.ts'

/**
 * All texts of one language. The folder of a page adds its own by `declare module` in its `en.ts`;
 * its other languages have the same keys.
 */
export interface Texts {
  readonly common: typeof common
  readonly passwordProblem: typeof passwordProblem
}

const all: Readonly<Record<Language, Texts>> = {
  en: merged(import.meta.glob('./en/*.ts', { eager: true }), ofPages),
  de: merged(import.meta.glob('./de/*.ts', { eager: true }), ofPagesInGerman),
}

export function textsOf(language: Language): Texts {
  return all[language]
}

// The files export what `Texts` declares: the compiler compares each with the English.
function merged(shared: Readonly<Record<string, object>>, ofPages: readonly object[]): Texts {
  return Object.assign({}, ...Object.values(shared), ...ofPages) as Texts
}

/** Each language in its own words. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
