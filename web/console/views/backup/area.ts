import { type Area, loader } from '../../area.ts'
import { backupsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/backups',
  name: { en: 'Backups', de: 'Sicherungen' },
  group: 'operation',
  order: 2,
  roles: ['ADMIN'],
  key: 'b',
  modules: ['backup', 'status'],
  load: loader(async () => (await import('./backups.tsx')).Backups, backupsTexts),
}
