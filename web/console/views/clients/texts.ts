import { areaTexts } from '../../texts.ts'

export const clientsTexts = areaTexts({
  en: async () => (await import('./en.ts')).clients,
  de: async () => (await import('./de.ts')).clients,
})
