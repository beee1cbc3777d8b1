import type { posts as english } from '../../en/console/posts.ts'

export const posts: typeof english = {
  title: 'Beiträge',
  caption: 'Beiträge und ob sie gesperrt sind',
  name: 'Titel',
  author: 'Verfasst von',
  locked: 'Gesperrt',
  lock: 'Sperren',
  unlock: 'Entsperren',
  isLocked: (title) => `„${title}“ ist gesperrt: Nur wer ihn verfasst hat, ändert ihn.`,
  isUnlocked: (title) => `„${title}“ ist entsperrt.`,
  empty: 'Es gibt noch keinen Beitrag.',
}
