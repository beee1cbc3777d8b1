import { type Area, loader } from '../../area.ts'
import { overviewTexts } from './texts.ts'

export const statusPath = '/api/admin/status'
export const statisticsPath = '/api/admin/statistics'

export const area: Area = {
  path: '/admin',
  name: { en: 'Overview', de: 'Übersicht' },
  group: 'overview',
  order: 1,
  roles: ['ADMIN'],
  key: 'o',
  modules: ['status', 'statistics'],
  reads: [statusPath, statisticsPath],
  load: loader(async () => (await import('./overview.tsx')).Overview, overviewTexts),
}
