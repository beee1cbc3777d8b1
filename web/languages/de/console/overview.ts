import type { overview as english } from '../../en/console/overview.ts'

export const overview: typeof english = {
  title: 'Übersicht',
  users: 'Personen',
  sessions: 'Sitzungen',
}
