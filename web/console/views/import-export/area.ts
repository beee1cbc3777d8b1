import { type Area, loader } from '../../area.ts'
import { importsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/imports',
  name: { en: 'Import and export', de: 'Import und Export' },
  group: 'people',
  order: 4,
  roles: ['ADMIN'],
  key: 'd',
  modules: ['import-export'],
  load: loader(async () => (await import('./imports.tsx')).Imports, importsTexts),
}
