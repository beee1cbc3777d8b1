import {
  exactly,
  Id,
  named,
  pageExample,
  pageOf,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'

export const runStates = ['waiting', 'running', 'done', 'failed', 'removed'] as const

const CountOrNull = { type: ['integer', 'null'], minimum: 0 } as const

export const BackupRun = named(
  'BackupRun',
  exactly({
    id: Id,
    state: {
      type: 'string',
      enum: runStates,
      description: '`removed`: its file was removed after newer backups were good',
    },
    started_at: { ...Time, description: 'The backup holds all that was acknowledged before' },
    finished_at: TimeOrNull,
    node: { ...Text, description: 'The host that makes it' },
    file: { ...TextOrNull, description: 'Its name in BACKUP_DIR' },
    bytes: CountOrNull,
    sha256: { ...TextOrNull, description: 'Of the whole file, as `sha256sum` prints it' },
    detail: { ...TextOrNull, description: 'Why it failed, or why it was begun anew' },
  }),
  {
    id: 12,
    state: 'done',
    started_at: '2026-11-20T03:00:00.000Z',
    finished_at: '2026-11-20T03:00:04.000Z',
    node: 'gatehouse-1',
    file: 'gatehouse-20261120T030000Z-q3Rk0ZtB.backup',
    bytes: 14_680_064,
    sha256: '3f786850e387550fdab836ed7e6dc881de23001b9f5c2d3a0b9b7c6e2d9a1f04',
    detail: null,
  },
)

export const BackupRunPage = named('BackupRunPage', pageOf(BackupRun), pageExample())
