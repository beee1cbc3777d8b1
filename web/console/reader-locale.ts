import type { Language } from '../../src/core/lib/languages.ts'

/**
 * How the reader writes times and numbers: by the first choice of the browser that is of the language
 * of the console, such as en-GB with 24 hours; otherwise by the language alone.
 */
export function readerLocale(language: Language): string {
  return navigator.languages.find((one) => one.split('-')[0] === language) ?? language
}
