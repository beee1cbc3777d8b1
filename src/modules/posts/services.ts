import { hook, service } from '../../core/module/service.ts'
import { sections } from './personal-data.ts'
import { createPosts, type Posts } from './posts.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly posts: Posts
  }
}

export const services = [
  service({
    makes: ['posts'],
    create: (needs) => ({ posts: createPosts(needs) }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]
