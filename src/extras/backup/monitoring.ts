import { Count, exactly, Flag, TextOrNull, TimeOrNull } from '../../core/http/schemas.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import { gauge } from '../../core/measurements/family.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'

const SecondsOrNull = { type: ['number', 'null'], minimum: 0 } as const
const warnings = ['backup_failed', 'backup_late'] as const

export const monitoring: Monitoring = {
  readinessWarnings: warnings,
  status: [
    statusPart({
      name: 'backups',
      schema: exactly({
        enabled: {
          ...Flag,
          description: 'Whether the service makes backups by itself: BACKUP_DIR',
        },
        last_at: {
          ...TimeOrNull,
          description: 'When the state began that the newest backup holds',
        },
        age_seconds: SecondsOrNull,
        every_seconds: SecondsOrNull,
        failures: { ...Count, description: 'Attempts that failed since the newest backup' },
        detail: { ...TextOrNull, description: 'Why the last attempt failed' },
        warning: { type: ['string', 'null'], enum: [...warnings, null] },
      }),
      example: {
        enabled: true,
        last_at: '2026-03-02T03:00:00.000Z',
        age_seconds: 23_400,
        every_seconds: 86_400,
        failures: 0,
        detail: null,
        warning: null,
      },
      async read({ backups }) {
        const health = await backups.health()
        return {
          enabled: health !== null,
          last_at: isoTimeOrNull(health?.lastAt ?? null),
          age_seconds: health?.ageSeconds ?? null,
          every_seconds: health?.everySeconds ?? null,
          failures: health?.failures ?? 0,
          detail: health?.detail ?? null,
          warning: health?.warning ?? null,
        }
      },
    }),
  ],
  // No values without BACKUP_DIR or database.
  serviceMetrics:
    ({ backups }) =>
    async () => {
      const health = await backups.health().catch(() => null)
      const values = (value: number | null | undefined) =>
        typeof value === 'number' ? [{ value }] : []
      return [
        gauge(
          'gatehouse_backup_age_seconds',
          'Age of the newest backup that the service has made by itself; absent if there is none.',
          values(health?.ageSeconds),
        ),
        gauge(
          'gatehouse_backup_interval_seconds',
          'BACKUP_EVERY_HOURS; absent where the service makes no backups by itself.',
          values(health?.everySeconds),
        ),
        gauge(
          'gatehouse_backup_failed_attempts',
          'Attempts to make a backup that have failed since the newest one.',
          values(health?.failures),
        ),
      ]
    },
}
