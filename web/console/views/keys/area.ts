import { type Area, loader } from '../../area.ts'
import { keysTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/keys',
  name: { en: 'Keys', de: 'Schlüssel' },
  group: 'connections',
  order: 4,
  roles: ['ADMIN'],
  key: 'k',
  modules: ['keys'],
  load: loader(async () => (await import('./keys.tsx')).Keys, keysTexts),
}
