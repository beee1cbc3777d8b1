/** BCP 47 names. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text)
}
