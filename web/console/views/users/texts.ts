import { areaTexts } from '../../texts.ts'

export const usersTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/users.ts')).users,
  de: async () => (await import('../../../languages/de/console/users.ts')).users,
})
