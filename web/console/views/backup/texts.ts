import { areaTexts } from '../../texts.ts'

export const backupsTexts = areaTexts({
  en: async () => (await import('./en.ts')).backups,
  de: async () => (await import('./de.ts')).backups,
})
