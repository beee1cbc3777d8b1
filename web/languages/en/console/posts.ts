export const posts = {
  title: 'Posts',
  caption: 'Posts with their lock state',
  name: 'Title',
  author: 'Author',
  locked: 'Locked',
  lock: 'Lock',
  unlock: 'Unlock',
  isLocked: (title: string) => `“${title}” is locked: its author alone changes it.`,
  isUnlocked: (title: string) => `“${title}” is unlocked.`,
  empty: 'There is no post yet.',
}
