/** BCP 47 names. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

/** A text in each language. */
export type Words = Readonly<Record<Language, string>>

/** A text that has no translation, such as a message of another program. */
export function untranslated(text: string): Words {
  return { en: text, de: text }
}

export function isLanguage(text: unknown): text is Language {
  return languages.some((language) => language === text)
}
