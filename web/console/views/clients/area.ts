import { type Area, loader } from '../../area.ts'
import { clientsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/clients',
  name: { en: 'Clients', de: 'Anwendungen' },
  group: 'connections',
  order: 3,
  roles: ['ADMIN'],
  key: 'c',
  modules: ['clients'],
  load: loader(async () => (await import('./clients.tsx')).Clients, clientsTexts),
}
