import { areaTexts } from '../../texts.ts'

export const keysTexts = areaTexts({
  en: async () => (await import('./en.ts')).keys,
  de: async () => (await import('./de.ts')).keys,
})
