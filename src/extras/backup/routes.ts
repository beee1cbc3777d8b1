import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { numberedPage } from '../../core/http/lists/paging.ts'
import { type App, listQuery } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import type { RunRow } from './run-store.ts'
import { BackupRun, BackupRunPage } from './schemas.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

/** The routes of /api/admin/backups: the automatic backups. */
export async function routes(app: App, { backups }: Needs): Promise<void> {
  app.get(
    '/api/admin/backups',
    {
      config: { access, query: listQuery(maxPerPage) },
      schema: {
        operationId: 'listBackups',
        summary: 'One page of the backups that the service made by itself, the newest first',
        response: { 200: BackupRunPage },
      },
    },
    (request) => numberedPage(request.query, maxPerPage, backups, runView),
  )

  app.post(
    '/api/admin/backups',
    {
      config: { access, reauthentication: 'always', errors: ['routeNotFound'] },
      schema: {
        operationId: 'makeBackup',
        summary: 'Have a backup made now; answers the one that waits or is being made, if one is',
        response: { 202: BackupRun },
      },
    },
    async (request, reply) => {
      const run = await backups.request(reauthorize(request))
      return reply.status(202).send(runView(run))
    },
  )
}

/** A run on the wire. */
export function runView(run: RunRow) {
  const { id, state, node, file, bytes, sha256, detail } = run
  return {
    ...{ id, state, started_at: isoTime(run.started_at) },
    finished_at: isoTimeOrNull(run.finished_at),
    ...{ node, file, bytes, sha256, detail },
  }
}
