import type { FastifyInstance } from 'fastify'
import type { DatabaseFiles } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Job } from '../../core/runtime/jobs.ts'

/** A quarter of the second that docs/reliability.md promises: a busy event loop may be late. */
const everyMs = 250
const retrySeconds = 15
/** The files of the pages, which answer like the routes that declare `isDiagnosis`. */
const assets = '/assets/:version/:file'

/**
 * Makes the job that notices when a file of the SQLite database is no longer the file at its path.
 * Nothing is written from then on. Requests are refused with 503, reads included: other processes
 * write into the files at the paths, so a lock of an account, for example, would not count here.
 * @param replaced is called once, with the path of the file
 */
export function watchDatabaseFiles(
  app: FastifyInstance,
  files: DatabaseFiles,
  replaced: (path: string) => void,
): Job {
  let isReplaced = false
  app.addHook('onRequest', (request, _reply, done) => {
    const { config, url } = request.routeOptions
    if (!isReplaced || config.isDiagnosis || url === assets) return done()
    const reason = { code: 'not_ready', facts: { cause: 'replaced' } } as const
    done(new ApiError('serviceUnavailable', { retryAfterSeconds: retrySeconds, reason }))
  })
  return {
    name: 'database files',
    everyMs,
    inEachWorker: true,
    isIdle: () => isReplaced || files.replaced() === null,
    async run() {
      const path = files.replaced()
      if (path === null || isReplaced) return
      isReplaced = true
      files.abandon()
      replaced(path)
    },
  }
}
