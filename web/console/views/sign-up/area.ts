import { type Area, loader } from '../../area.ts'
import { invitationsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/invitations',
  name: { en: 'Invitations', de: 'Einladungen' },
  group: 'people',
  order: 3,
  roles: ['ADMIN'],
  key: 'i',
  modules: ['sign-up'],
  load: loader(async () => (await import('./invitations.tsx')).Invitations, invitationsTexts),
}
