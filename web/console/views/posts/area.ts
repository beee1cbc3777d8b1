import { type Area, loader } from '../../area.ts'
import { postsTexts } from './texts.ts'

export const area: Area = {
  path: '/admin/posts',
  name: { en: 'Posts', de: 'Beiträge' },
  group: 'records',
  order: 1,
  roles: ['ADMIN', 'EDITOR'],
  key: 'p',
  modules: ['posts'],
  load: loader(async () => (await import('./posts.tsx')).Posts, postsTexts),
}
