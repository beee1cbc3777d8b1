import type { FastifyInstance } from 'fastify'
import type { RoomParts } from '../room/room.ts'
import type { Workers } from '../workers/workers.ts'
import type { Mailer } from './mailer.ts'

export interface Needs {
  readonly mailer: Mailer
  readonly workers: Pick<Workers, 'index'>
}

const lookEveryMs = 100

export const parts: RoomParts<Needs> = {
  async routes(app: FastifyInstance, { mailer, workers }) {
    app.addHook('onListen', async () => {
      if (workers.index === 0) void mailer.check() // it never throws, and the start does not wait
    })
  },

  jobs: ({ mailer }) => [
    {
      name: 'mail',
      everyMs: lookEveryMs,
      inEachWorker: true,
      isIdle: mailer.isIdle,
      run: mailer.run,
    },
    { name: 'expired mail', purge: mailer.expire },
    { name: 'mail of 30 days ago', purge: mailer.purge },
  ],
}
