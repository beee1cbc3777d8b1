import type { Config } from '../../src/config/load.ts'
import { settingsOf } from '../../src/config/room-settings.ts'
import { fileBeside, type Room } from '../../src/room/room.ts'
import type { AuthenticatorDeps } from './authenticator.ts'
import type { NotesDeps } from './notes.ts'
import { noteNotFound } from './problems.ts'
import { migrations } from './tables.ts'

type Needs = NotesDeps & AuthenticatorDeps & { readonly config: Pick<Config, 'ofRooms'> }

/**
 * Notes: short texts of a user, which a device with a key of its own writes. An external room with a
 * scheme, two tables, a resource, a setting, an event, an error, a job and a command, without an
 * edit of src/.
 */
export const room: Room<Needs> = {
  name: 'notes',
  tag: 'Notes',
  migrations,
  tables: [
    {
      name: 'notes',
      key: ['id'],
      givesIds: true,
      person: { column: 'owner_id', gone: 'removed' },
    },
    {
      name: 'note_keys',
      key: ['id'],
      isLogin: true,
      person: { column: 'user_id', gone: 'removed' },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: [noteNotFound],
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

  async authenticators(needs, before) {
    const { noteKeyAuthenticator } = await import('./authenticator.ts')
    return [...before, noteKeyAuthenticator(needs)]
  },

  async routes(app, needs) {
    const { createNotes } = await import('./notes.ts')
    const { noteRoutes } = await import('./routes.ts')
    await app.register(noteRoutes, { notes: createNotes(needs) })
  },

  async jobs(needs) {
    const { purgeNotes } = await import('./store.ts')
    const { settings } = await import('./settings.ts')
    const { NOTES_KEEP_DAYS } = settingsOf(needs.config, settings)
    const keptMs = NOTES_KEEP_DAYS * 86_400_000
    return [
      {
        name: 'old notes',
        purge: (most) => purgeNotes(needs.db, needs.clock.now() - keptMs, most),
      },
    ]
  },

  async onAccountEnded() {
    const { endKeysOf } = await import('./store.ts')
    return async (trx, { userId, endsLogins }) => {
      if (endsLogins) await endKeysOf(trx, userId)
    }
  },
}
