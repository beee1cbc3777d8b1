import type { Problem } from '../../core/errors.ts'

export const postNotFound: Problem = {
  name: 'postNotFound',
  status: 404,
  error: 'Post not found',
  words: {
    en: 'There is no such post: it was removed, or never was.',
    de: 'Diesen Beitrag gibt es nicht: Er wurde gelöscht, oder es gab ihn nie.',
  },
}
