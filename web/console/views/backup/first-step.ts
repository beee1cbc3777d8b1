import { api, dataOf } from '../../api/client.ts'
import type { FirstStep } from '../overview/first-steps.ts'

/** A backup of the service, or one that the command line made. */
export const firstStep: FirstStep = {
  id: 'backup',
  order: 40,
  href: '/admin/backups',
  isEssential: true,
  words: {
    en: ['A backup', 'Set BACKUP_DIR, or make one now.'],
    de: ['Eine Sicherung', 'Setzen Sie BACKUP_DIR, oder machen Sie jetzt eine.'],
  },
  inStatus: ({ backups }) => (backups?.last_at ? true : null),
  async look(signal) {
    const query = { type: ['backup_made'], limit: 1 }
    const { data } = await dataOf(api.GET('/api/admin/audit', { params: { query }, signal }))
    return data.length > 0
  },
}
