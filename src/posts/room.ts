import type { Room } from '../room/room.ts'
import { postCreated, postDeleted, postLocked, postUnlocked, postUpdated } from './events.ts'
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
  events: [postCreated, postUpdated, postDeleted, postLocked, postUnlocked],
  errors: ['postNotFound'],
  settings: ['POSTS_DELETE_POLICY'],

  async routes(app, needs) {
    const { postRoutes } = await import('./routes.ts')
    await app.register(postRoutes, needs)
  },
}
