import type { Examples, Make, World } from '../../../test/example.ts'
import { seedPosts } from '../../../test/posts.ts'

const idOf = async ({ app, owner }: World) => {
  const [id = 0] = await seedPosts(app, 1, { authorId: owner.userId })
  return { id }
}
const post: Make = async (world) => ({ params: await idOf(world) })

export const examples: Examples = {
  listPosts: {},
  listPostsAsEditor: {},
  getPost: { make: post },
  createPost: { events: ['post_created'], make: () => ({ json: { title: 'A post' } }) },
  updatePost: {
    events: ['post_updated'],
    make: async (world) => ({ params: await idOf(world), json: { title: 'B' } }),
  },
  deletePost: { events: ['post_deleted'], make: post },
  lockPost: { events: ['post_locked'], make: post },
  unlockPost: { events: ['post_unlocked'], make: post },
}
