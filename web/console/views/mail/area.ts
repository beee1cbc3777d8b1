import { type Area, loader } from '../../area.ts'
import { mailTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/mail',
  name: { en: 'Mail', de: 'E-Mail' },
  group: 'connections',
  order: 1,
  roles: ['ADMIN'],
  key: 'm',
  modules: ['mail'],
  load: loader(async () => (await import('./mail.tsx')).Mail, mailTexts),
}
