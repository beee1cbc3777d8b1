import { areaTexts } from '../../texts.ts'

export const mailTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/mail.ts')).mail,
  de: async () => (await import('../../../languages/de/console/mail.ts')).mail,
})
