import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'posts',
    key: ['id'],
    givesIds: true,
    person: { column: 'author_id', onDelete: 'set-null', inSteps: true },
    namesPerson: {
      columns: ['title', 'body'],
      atErasure: "stay, without an author: the words are the operator's to judge",
    },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    posts: PostsTable
  }
}

interface PostsTable {
  id: Generated<number>
  title: string
  body: string
  /** Null after the user's deletion. */
  author_id: number | null
  locked: Generated<number>
  created_at: number
  /** Title or body. */
  updated_at: number
}
