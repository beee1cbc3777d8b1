import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { numberedPage } from '../../core/http/lists/paging.ts'
import { type App, listQuery } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { runView } from '../../core/runs/runs.ts'
import type { RunRow } from './run-store.ts'
import { BackupRun, BackupRunPage } from './schemas.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

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
    (request) => numberedPage(request.query, maxPerPage, backups, backupView),
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
      return reply.status(202).send(backupView(run))
    },
  )
}

export function backupView(run: RunRow) {
  const { file, bytes, sha256 } = run
  const { detail, ...view } = { ...runView(run), started_at: isoTime(run.started_at) }
  return { ...view, file, bytes, sha256, detail }
}
