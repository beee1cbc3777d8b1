import { areaTexts } from '../../texts.ts'

export const invitationsTexts = areaTexts({
  en: async () => (await import('../../../languages/en/console/invitations.ts')).invitations,
  de: async () => (await import('../../../languages/de/console/invitations.ts')).invitations,
})
