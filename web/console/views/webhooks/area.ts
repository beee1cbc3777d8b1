import { type Area, loader } from '../../area.ts'
import { webhooksTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/webhooks',
  name: { en: 'Webhooks', de: 'Webhooks' },
  group: 'connections',
  order: 2,
  roles: ['ADMIN'],
  key: 'h',
  modules: ['webhooks'],
  load: loader(async () => (await import('./webhooks.tsx')).Webhooks, webhooksTexts),
}
