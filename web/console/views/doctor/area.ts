import { type Area, loader } from '../../area.ts'
import { doctorTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/doctor',
  name: { en: 'Doctor', de: 'Untersuchung' },
  group: 'operation',
  order: 3,
  roles: ['ADMIN'],
  key: 'e',
  modules: ['doctor'],
  load: loader(async () => (await import('./doctor.tsx')).Doctor, doctorTexts),
}
