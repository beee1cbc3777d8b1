import type { Resource } from '../../core/policy/decide.ts'

/** Spec 2.7. */
export interface Post {
  readonly id: number
  readonly title: string
  readonly body: string
  /** Null after the user's deletion. */
  readonly authorId: number | null
  /** Null without an account. */
  readonly author: string | null
  /** Only the author can change a locked post. */
  readonly locked: boolean
  /** Epoch milliseconds; `updatedAt`: title or body. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type PostText = Pick<Post, 'title' | 'body'>
export type PostChanges = { readonly [Field in keyof PostText]?: PostText[Field] | undefined }

/** A missing post has no owner. */
export function resourceOf(post: Post | null): Resource {
  const ownerId = post?.authorId ?? null
  return { ownerId: ownerId === null ? null : String(ownerId), locked: post?.locked ?? false }
}
