import type { Config } from '../../src/core/config/load.ts'
import { settingsOf } from '../../src/core/config/room-settings.ts'
import type { RoomParts } from '../../src/core/module/room.ts'
import { type AuthenticatorDeps, noteKeyAuthenticator } from './authenticator.ts'
import { createNotes, type NotesDeps } from './notes.ts'
import { noteRoutes } from './routes.ts'
import { settings } from './settings.ts'
import { purgeNotes } from './store.ts'

export type Needs = NotesDeps & AuthenticatorDeps & { readonly config: Pick<Config, 'ofRooms'> }

export const parts: RoomParts<Needs> = {
  authenticators: (needs, before) => [...before, noteKeyAuthenticator(needs)],

  async routes(app, needs) {
    await app.register(noteRoutes, { notes: createNotes(needs) })
  },

  jobs({ config, clock, db }) {
    const keptMs = settingsOf(config, settings).NOTES_KEEP_DAYS * 86_400_000
    return [{ name: 'old notes', purge: (most) => purgeNotes(db, clock.now() - keptMs, most) }]
  },
}
