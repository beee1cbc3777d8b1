import { areaTexts } from '../../texts.ts'

export const mailTexts = areaTexts({
  en: async () => (await import('./en.ts')).mail,
  de: async () => (await import('./de.ts')).mail,
})
