/** The languages in which every page and message is there, by their names of BCP 47. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text)
}
