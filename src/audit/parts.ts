import type { RoomParts } from '../room/room.ts'
import type { Audit } from './audit.ts'

export interface Needs {
  readonly audit: Audit
}

const recordEveryMs = 100
const closeEveryMs = 600_000

export const parts: RoomParts<Needs> = {
  routes: async (app, { audit }) => {
    app.refusalListeners.push((request, error) => {
      audit.refused(request.id, error.status, error.reason?.code ?? null)
    })
  },
  jobs: ({ audit }) => [
    { name: 'audit records', everyMs: recordEveryMs, inEachWorker: true, run: audit.run },
    { name: 'audit chains', everyMs: closeEveryMs, inEachWorker: true, run: audit.closeLeft },
  ],
}
