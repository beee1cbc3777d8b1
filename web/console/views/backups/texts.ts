import { areaTexts } from '../../texts.ts'

export const backupsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/backups.ts')).backups,
  de: async () => (await import('../../../languages/de/console/backups.ts')).backups,
})
