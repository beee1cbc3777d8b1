import type { Language } from '../../src/core/lib/languages.ts'

/** The texts of an area, in the language of the reader, loaded with the area. */
export interface AreaTexts<Texts> {
  load(language: Language): Promise<void>
  /** @throws Error before they are loaded */
  use(): Texts
}

/** Each language is a file of its own, so that a browser loads one alone. */
export function areaTexts<Texts>(
  loaders: Readonly<Record<Language, () => Promise<Texts>>>,
): AreaTexts<Texts> {
  let loaded: Texts | undefined
  return {
    async load(language) {
      loaded ??= await loaders[language]()
    },
    use() {
      if (loaded === undefined) throw new Error('texts that are not loaded')
      return loaded
    },
  }
}
