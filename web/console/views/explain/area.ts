import { type Area, loader } from '../../area.ts'
import { whyTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/why',
  name: { en: 'Why was this refused?', de: 'Warum abgelehnt?' },
  group: 'overview',
  order: 2,
  roles: ['ADMIN'],
  key: 'w',
  modules: ['explain'],
  load: loader(async () => (await import('./why.tsx')).Why, whyTexts),
}
