import { areaTexts } from '../../texts.ts'

export const auditTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/audit.ts')).audit,
  de: async () => (await import('../../../languages/de/console/audit.ts')).audit,
})
