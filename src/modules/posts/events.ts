import { eventType } from '../../core/events/types.ts'

/** A post and its author's user; null if that user was deleted. */
type Fields = { readonly post_id: number; readonly author_id: number | null }

export const postCreated = eventType<Fields>('post_created')
export const postUpdated = eventType<Fields>('post_updated')
export const postDeleted = eventType<Fields>('post_deleted')
export const postLocked = eventType<Fields>('post_locked')
export const postUnlocked = eventType<Fields>('post_unlocked')
