import { isoTime } from '../../core/lib/clock.ts'
import { batches, type ExportSection, sectionBatch } from '../../core/module/export-section.ts'
import { hook, service } from '../../core/module/service.ts'
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

const sections: readonly ExportSection[] = [
  batches({ name: 'posts', tables: ['posts'] }, async (db, userId, after?: { id: number }) => {
    const rows = await db
      .selectFrom('posts')
      .select(['id', 'title', 'body', 'locked', 'created_at', 'updated_at'])
      .where('author_id', '=', userId)
      .where('id', '>', after?.id ?? 0)
      .orderBy('id')
      .limit(sectionBatch)
      .execute()
    return rows.map(({ locked, created_at, updated_at, ...row }) => ({
      ...row,
      locked: locked === 1,
      created_at: isoTime(created_at),
      updated_at: isoTime(updated_at),
    }))
  }),
]
