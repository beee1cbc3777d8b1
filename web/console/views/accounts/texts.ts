import { areaTexts } from '../../texts.ts'

export const accountsTexts = areaTexts({
  en: async () => (await import('./en.ts')).accounts,
  de: async () => (await import('./de.ts')).accounts,
})
