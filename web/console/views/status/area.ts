import { type Area, loader } from '../../area.ts'
import { settingsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/settings',
  name: { en: 'Settings', de: 'Einstellungen' },
  group: 'operation',
  order: 1,
  roles: ['ADMIN'],
  key: 's',
  modules: ['status'],
  load: loader(async () => (await import('./settings.tsx')).Settings, settingsTexts),
}
