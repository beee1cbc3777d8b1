import type { Resource } from '../policy/decide.ts'

/** A post. Spec 2.7. */
export interface Post {
  readonly id: number
  readonly title: string
  readonly body: string
  /** The author's user; null once that is gone. */
  readonly authorId: number | null
  /** The username of the author's account; null where there is none. */
  readonly author: string | null
  /** A locked post is changed by its author alone. */
  readonly locked: boolean
  /** Epoch milliseconds; `updatedAt` is of the last change of title or body. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type PostText = Pick<Post, 'title' | 'body'>
export type PostChanges = { readonly [Field in keyof PostText]?: PostText[Field] | undefined }

/** What a rule may ask of a post. One that does not exist is nobody's. */
export function resourceOf(post: Post | null): Resource {
  const ownerId = post?.authorId ?? null
  return { ownerId: ownerId === null ? null : String(ownerId), locked: post?.locked ?? false }
}
