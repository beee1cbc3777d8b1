import type { FastifyInstance } from 'fastify'
import type { DatabaseFiles } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Job } from '../../core/runtime/jobs.ts'

/** docs/reliability.md promises one second: a busy event loop may be late. */
const everyMs = 250
const retrySeconds = 15
/** Exempt, like routes that declare `isDiagnosis`. */
const assets = '/assets/:version/:file'

/**
 * A deleted or replaced SQLite file stops all writes and refuses all requests with 503: other
 * processes use the new files, so a locked account would stay usable here. @param replaced called
 * once, with the path
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
