import { areaTexts } from '../../texts.ts'

export const auditTexts = areaTexts({
  en: async () => (await import('./en.ts')).audit,
  de: async () => (await import('./de.ts')).audit,
})
