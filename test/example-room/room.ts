import { fileBeside, type Room } from '../../src/core/module/room.ts'
import type { Needs } from './parts.ts'
import { noteNotFound, reasons } from './problems.ts'
import { migrations } from './tables.ts'

/**
 * Notes: short texts of a user, which a device with a key of its own writes. An external room with a
 * scheme, two tables, a resource, a setting, an event, an error, a job and a command, without an
 * edit of src/.
 */
export const room: Room<Needs> = {
  name: 'notes',
  tag: { name: 'Notes', description: 'Short texts, which a device writes with a key of its own.' },
  migrations,
  tables: [
    {
      name: 'notes',
      key: ['id'],
      givesIds: true,
      person: { column: 'owner_id', onDelete: 'delete' },
    },
    {
      name: 'note_keys',
      key: ['id'],
      isLogin: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: [noteNotFound],
  reasons,
  requestHeaders: [{ name: 'X-Note-Key', isSecret: true }],
  settings: fileBeside(import.meta.url, './settings'),
  commands: [
    {
      rows: [
        {
          name: 'note key',
          operands: ['username'],
          summary: 'Makes a key for a device of the account, and shows it once',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
    },
  ],
  parts: () => import('./parts.ts'),

  async onAccountEnded() {
    const { endKeysOf } = await import('./store.ts')
    return async (trx, { userId, endsLogins }) => {
      if (endsLogins) await endKeysOf(trx, userId)
    }
  },
}
