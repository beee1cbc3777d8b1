import { areaTexts } from '../../texts.ts'

export const importsTexts = areaTexts({
  en: async () => (await import('./en.ts')).imports,
  de: async () => (await import('./de.ts')).imports,
})
