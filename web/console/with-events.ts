import type { Language } from '../../src/core/lib/languages.ts'

type Words = typeof import('made:events-en')

const words: Readonly<Record<Language, () => Promise<Words>>> = {
  en: () => import('made:events-en'),
  de: () => import('made:events-de'),
}

/** The texts of an area with the words of the events, loaded at the same time. */
export async function withEvents<Texts extends object>(
  language: Language,
  texts: Promise<Texts>,
): Promise<Texts & Words> {
  const [own, { events }] = await Promise.all([texts, words[language]()])
  return { ...own, events }
}
