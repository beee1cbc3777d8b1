import { type Area, loader } from '../../area.ts'
import { auditTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/audit',
  name: { en: 'Audit', de: 'Protokoll' },
  group: 'records',
  order: 2,
  roles: ['ADMIN'],
  key: 'l',
  modules: ['audit'],
  load: loader(async () => (await import('./audit.tsx')).Audit, auditTexts),
}
