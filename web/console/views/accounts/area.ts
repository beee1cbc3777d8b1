import { type Area, loader } from '../../area.ts'
import { accountTexts } from '../account/texts.ts'
import { accountsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/accounts',
  name: { en: 'Accounts', de: 'Konten' },
  group: 'people',
  order: 1,
  roles: ['ADMIN'],
  key: 'a',
  modules: ['accounts'],
  load: loader(async () => (await import('./accounts.tsx')).Accounts, accountsTexts, accountTexts),
}
