import type { posts as english } from './en.ts'

export const posts: typeof english = {
  title: 'Beiträge',
  hintOfAdministrator:
    'Einen gesperrten Beitrag ändert nur, wer ihn verfasst hat, und keine Administration. Sperren Sie einen, damit er bleibt, wie er ist.',
  hintOfEditor:
    'Einen gesperrten Beitrag ändert nur, wer ihn verfasst hat. Gesperrt und entsperrt wird durch die Administration.',
  caption: 'Beiträge und ob sie gesperrt sind',
  post: (id) => `Beitrag ${id}`,
  name: 'Titel',
  author: 'Verfasst von',
  authorGone: 'gelöscht',
  user: (id) => `Person ${id}, ohne Konto`,
  created: 'Angelegt',
  updated: 'Geändert',
  state: 'Sperre',
  actions: 'Aktionen',
  locked: 'gesperrt',
  open: 'offen',
  lock: 'Sperren',
  unlock: 'Entsperren',
  isLocked: (title) => `„${title}“ ist gesperrt: Nur wer ihn verfasst hat, ändert ihn.`,
  isUnlocked: (title) => `„${title}“ ist entsperrt.`,
  empty: 'Es gibt noch keinen Beitrag. Er entsteht durch POST /api/posts mit EDITOR oder ADMIN.',
  emptyPage: 'Die Liste endet vor dieser Seite. Gehen Sie zu den Seiten davor zurück.',
  noBody: 'Er hat nur einen Titel.',
  close: 'Schließen',
}
