import { areaTexts } from '../../texts.ts'

export const clientsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/clients.ts')).clients,
  de: async () => (await import('../../../languages/de/console/clients.ts')).clients,
})
