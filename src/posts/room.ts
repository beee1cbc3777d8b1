import { fileBeside, type Room } from '../room/room.ts'
import type { PostRoutesOptions } from './routes.ts'

export const room: Room<PostRoutesOptions> = {
  name: 'posts',
  tag: 'Posts',
  tables: [
    {
      name: 'posts',
      key: ['id'],
      givesIds: true,
      person: { column: 'author_id', gone: 'cleared' },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['postNotFound'],
  settings: ['POSTS_DELETE_POLICY'],

  async routes(app, needs) {
    const { postRoutes } = await import('./routes.ts')
    await app.register(postRoutes, needs)
  },
}
