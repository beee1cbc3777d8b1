import { areaTexts } from '../../texts.ts'

export const invitationsTexts = areaTexts({
  en: async () => (await import('./en.ts')).invitations,
  de: async () => (await import('./de.ts')).invitations,
})
