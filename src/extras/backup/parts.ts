import type { RoomParts } from '../../core/module/room.ts'
import { backupRoutes } from './routes.ts'
import type { Backups } from './runs.ts'

export interface Needs {
  readonly backups: Backups
}

const lookEveryMs = 5000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(backupRoutes, needs)
  },
  jobs: ({ backups }) => [
    { name: 'backups', everyMs: lookEveryMs, isIdle: () => !backups.isOn, run: backups.run },
    { name: 'runs of backups', purge: backups.purge },
  ],
}
