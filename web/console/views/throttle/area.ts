import { type Area, loader } from '../../area.ts'
import { throttleTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/throttle',
  name: { en: 'Throttle', de: 'Drosselung' },
  group: 'people',
  order: 5,
  roles: ['ADMIN'],
  key: 't',
  modules: ['throttle'],
  load: loader(async () => (await import('./throttle.tsx')).Throttle, throttleTexts),
}
