import { areaTexts } from '../../texts.ts'

export const doctorTexts = areaTexts({
  en: async () => (await import('./en.ts')).doctor,
  de: async () => (await import('./de.ts')).doctor,
})
