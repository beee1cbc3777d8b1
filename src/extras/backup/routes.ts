import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { numberedPage } from '../../core/http/lists/paging.ts'
import { type App, listQuery, named } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { runView } from '../../core/runs/runs.ts'
import { backupUnderWay } from './problems.ts'
import type { RunRow } from './run-store.ts'
import { BackupRun, BackupRunPage } from './schemas.ts'
import { passphraseFault } from './settings.ts'

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
      config: {
        ...{ access, reauthentication: 'always', body: 'optional' },
        maxBodyBytes: fewFieldsBytes,
        errors: [backupUnderWay, 'validationFailed'],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'makeBackup',
        summary: 'Have a backup made now, in BACKUP_DIR or else in DATA_DIR/backups',
        description:
          'With BACKUP_DIR the body is empty, and a backup that waits or is being made is answered. Without it the body has a passphrase for this backup, which is not stored, or `unencrypted: true` for a backup without keys.',
        body: Wanted,
        response: { 202: BackupRun },
      },
    },
    async (request, reply) => {
      const guard = reauthorize(request)
      const passphrase = wanted(request.body, backups.isOn)
      const run = backups.isOn
        ? await backups.request(guard)
        : await backups.makeOnce(passphrase, guard)
      return reply.status(202).send(backupView(run))
    },
  )
}

const Wanted = named(
  'WantedBackup',
  {
    type: 'object',
    properties: {
      passphrase: { type: 'string', maxLength: 1024, description: 'At least 70 bits' },
      unencrypted: { type: 'boolean' },
    },
  },
  { passphrase: 'walnut orbit candle river tulip anchor' },
)

interface WantedBody {
  readonly passphrase?: string
  readonly unencrypted?: boolean
}

/** Null: without encryption, or with that of BACKUP_PASSPHRASE. @throws ApiError validationFailed */
function wanted({ passphrase, unencrypted = false }: WantedBody, isOn: boolean): string | null {
  const name = ['passphrase']
  if (isOn && (passphrase !== undefined || unencrypted)) {
    refuseField(name, {
      en: 'must be absent: BACKUP_PASSPHRASE encrypts the backups of BACKUP_DIR',
      de: 'muss fehlen: BACKUP_PASSPHRASE verschlüsselt die Sicherungen von BACKUP_DIR',
    })
  }
  if (isOn || unencrypted) {
    if (passphrase !== undefined)
      refuseField(name, {
        en: 'must be absent with unencrypted: true',
        de: 'muss bei unencrypted: true fehlen',
      })
    return null
  }
  if (passphrase === undefined)
    refuseField(name, {
      en: 'is required, or else unencrypted: true',
      de: 'fehlt, oder unencrypted: true',
    })
  const fault = passphraseFault(passphrase)
  if (fault) refuseField(name, fault)
  return passphrase
}

export function backupView(run: RunRow) {
  const { file, bytes, sha256 } = run
  const { detail, ...view } = { ...runView(run), started_at: isoTime(run.started_at) }
  return { ...view, file, bytes, sha256, detail }
}
