import type { Resource } from '../../core/policy/decide.ts'

/** A post. Spec 2.7. */
export interface Post {
  readonly id: number
  readonly title: string
  readonly body: string
  /** The author's user; null after that user was deleted. */
  readonly authorId: number | null
  /** The username of the author's account; null without an account. */
  readonly author: string | null
  /** Only the author can change a locked post. */
  readonly locked: boolean
  /** Epoch milliseconds; `updatedAt` is of the last change of title or body. */
  readonly createdAt: number
  readonly updatedAt: number
}

export type PostText = Pick<Post, 'title' | 'body'>
export type PostChanges = { readonly [Field in keyof PostText]?: PostText[Field] | undefined }

/** The facts of a post that rules use. A post that does not exist has no owner. */
export function resourceOf(post: Post | null): Resource {
  const ownerId = post?.authorId ?? null
  return { ownerId: ownerId === null ? null : String(ownerId), locked: post?.locked ?? false }
}
