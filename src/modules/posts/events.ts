import { eventType } from '../../core/events/types.ts'

type Fields = { readonly post_id: number; readonly author_id: number | null }
const postFields = { post_id: '', author_id: 'the user; null if deleted' }

export const postCreated = eventType<Fields>('post_created', {
  groups: [],
  description: 'a post is made',
  fields: postFields,
  words: { en: 'Post created', de: 'Beitrag angelegt' },
})

export const postUpdated = eventType<Fields>('post_updated', {
  groups: [],
  description: 'a post is changed',
  fields: postFields,
  words: { en: 'Post changed', de: 'Beitrag geändert' },
})

export const postDeleted = eventType<Fields>('post_deleted', {
  groups: [],
  description: 'a post is deleted',
  fields: postFields,
  words: { en: 'Post deleted', de: 'Beitrag gelöscht' },
})

export const postLocked = eventType<Fields>('post_locked', {
  groups: ['administration'],
  inOverview: true,
  description: 'a post is locked',
  fields: postFields,
  words: { en: 'Post locked', de: 'Beitrag gesperrt' },
})

export const postUnlocked = eventType<Fields>('post_unlocked', {
  groups: ['administration'],
  inOverview: true,
  description: 'a post is unlocked',
  fields: postFields,
  words: { en: 'Post unlocked', de: 'Beitrag entsperrt' },
})
