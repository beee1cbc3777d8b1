import { type Area, loader } from '../../area.ts'
import { usersTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/users',
  name: { en: 'Users', de: 'Personen' },
  group: 'people',
  order: 2,
  roles: ['ADMIN'],
  key: 'u',
  modules: ['users'],
  load: loader(async () => (await import('./users.tsx')).Users, usersTexts),
}
