import { areaTexts } from '../../texts.ts'

export const apiKeysTexts = areaTexts({
  en: async () => (await import('./en.ts')).apiKeys,
  de: async () => (await import('./de.ts')).apiKeys,
})
