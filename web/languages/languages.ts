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
  en: merged(import.meta.glob(['./en/*.ts', '../pages/**/en.ts'], { eager: true })),
  de: merged(import.meta.glob(['./de/*.ts', '../pages/**/de.ts'], { eager: true })),
}

export function textsOf(language: Language): Texts {
  return all[language]
}

// The files export what `Texts` declares: the compiler compares each with the English.
function merged(files: Readonly<Record<string, unknown>>): Texts {
  return Object.assign({}, ...Object.values(files)) as Texts
}

/** Each language in its own words. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
