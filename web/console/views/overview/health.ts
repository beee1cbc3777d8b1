import type { components } from '../../api/openapi.d.ts'
import type { OverviewTexts } from './texts.ts'

type Status = components['schemas']['AdminStatus']
type Doctor = components['schemas']['DoctorReport']

export type Level = 'good' | 'warning' | 'bad' | 'off' | 'unknown'

/** One thing that works or not, in words, and the area where more of it stands. */
export interface Health {
  readonly id: Status['unknown'][number]['part'] | 'service' | 'doctor'
  readonly name: string
  readonly level: Level
  readonly text: string
  readonly href: string | null
}

type Judged = Pick<Health, 'level' | 'text'>

/** A message that waits longer than this is late, in seconds. */
const lateSeconds = 300

/** What the status says, in the order in which an operator asks. */
export function healthOf(status: Status, t: OverviewTexts): Health[] {
  const words = t.works
  const part = (id: Status['unknown'][number]['part'], judged: Judged | null): Judged => {
    if (judged) return judged
    const reason = status.unknown.find((one) => one.part === id)?.reason ?? 'fault'
    return { level: 'unknown', text: words.unknownReasons[reason] }
  }
  return [
    { id: 'service', name: words.service, href: null, ...part('readiness', service(status, t)) },
    { id: 'schema', name: words.database, href: null, ...part('schema', schema(status, t)) },
    { id: 'mail', name: words.mail, href: '/admin/mail', ...part('mail', mail(status, t)) },
    {
      id: 'webhooks',
      name: words.webhooks,
      href: '/admin/webhooks',
      ...part('webhooks', webhooks(status, t)),
    },
    { id: 'jobs', name: words.jobs, href: null, ...part('jobs', jobs(status, t)) },
    {
      id: 'backups',
      name: words.backups,
      href: '/admin/backups',
      ...part('backups', backups(status, t)),
    },
  ]
}

function service({ host, readiness, uptime_seconds, version, workers }: Status, t: OverviewTexts) {
  if (!readiness) return null
  const { clockSetBack, notReady, serves } = t.works
  const { ready, reason, warnings } = readiness
  if (!ready) return { level: 'bad', text: notReady[reason ?? ''] ?? reason ?? '' } as const
  if (warnings.includes('clock_set_back')) return { level: 'bad', text: clockSetBack } as const
  return { level: 'good', text: serves(version, host, uptime_seconds, workers) } as const
}

function schema({ database, schema: state }: Status, t: OverviewTexts): Judged | null {
  if (!state) return null
  const { version, latest } = state
  const { databases, schema: words, schemaNew, schemaOld } = t.works
  if (version < latest) return { level: 'bad', text: schemaOld(version, latest) }
  if (version > latest) return { level: 'warning', text: schemaNew(version, latest) }
  return { level: 'good', text: `${databases[database]}, ${words(version)}` }
}

function mail({ mail: state }: Status, { works: t }: OverviewTexts): Judged | null {
  if (!state) return null
  const { enabled, failed, oldest_waiting_seconds: oldest, server, trouble, waiting } = state
  if (!enabled) return { level: 'off', text: t.mailOff }
  if (!server) return { level: 'off', text: t.mailToFiles }
  if (trouble) return { level: 'bad', text: t.mailTrouble(trouble.response) }
  if (oldest > lateSeconds) return { level: 'warning', text: t.mailWaiting(waiting, oldest) }
  const waits = waiting > 0 ? t.mailWaiting(waiting, oldest) : t.nothingWaits
  return { level: 'good', text: failed > 0 ? `${waits} ${t.mailFailed(failed)}` : waits }
}

function webhooks({ webhooks: state }: Status, { works: t }: OverviewTexts): Judged | null {
  if (!state) return null
  const { disabled, enabled, failed, oldest_waiting_seconds: oldest } = state
  const failing = state.oldest_waiting_failing_seconds
  if (failed > 0) return { level: 'bad', text: t.webhooksFailed(failed) }
  if (enabled + disabled === 0) return { level: 'off', text: t.webhooksOff }
  if (failing > 0) return { level: 'warning', text: t.webhooksFailing(failing) }
  if (oldest > lateSeconds) return { level: 'warning', text: t.webhooksWaiting(oldest) }
  return { level: 'good', text: t.webhooksGood(enabled) }
}

function jobs({ jobs: all }: Status, { works: t }: OverviewTexts): Judged | null {
  if (!all) return null
  const troubled = all.filter(({ overdue, result }) => overdue || result === 'failed')
  if (troubled.length === 0) return { level: 'good', text: t.jobsGood(all.length) }
  return { level: 'bad', text: t.jobsBad(troubled.map(({ name }) => name).join(', ')) }
}

function backups({ backups: state }: Status, { works: t }: OverviewTexts): Judged | null {
  if (!state) return null
  const { age_seconds: age, detail, enabled, warning } = state
  if (!enabled) return { level: 'off', text: t.backupsOff } // doctor judges it
  if (warning === 'backup_failed') return { level: 'bad', text: t.backupFailed(detail ?? '') }
  if (age === null) return { level: 'warning', text: t.backupsNone }
  if (warning === 'backup_late') return { level: 'bad', text: t.backupLate(age) }
  return { level: 'good', text: t.backupGood(age) }
}

/** What doctor found; null while it examines. */
export function doctorHealth(report: Doctor | null, { works: t }: OverviewTexts): Health {
  const fixed = { id: 'doctor', name: t.doctor, href: '/admin/doctor' } as const
  if (!report) return { ...fixed, level: 'unknown', text: t.doctorLooking }
  const { advice, checks, errors, unknown, warnings } = report
  const parts = [
    errors > 0 && t.doctorErrors(errors),
    warnings > 0 && t.doctorWarnings(warnings),
    advice > 0 && t.doctorAdvice(advice),
    unknown > 0 && t.doctorUnknown(unknown),
  ].filter((part) => part !== false)
  const level = errors > 0 ? 'bad' : warnings > 0 ? 'warning' : 'good'
  const text = parts.length === 0 ? t.doctorGood(checks) : `${parts.join(', ')}.`
  return { ...fixed, level, text }
}

/** The worst of all: what the first sentence of the overview says. */
export function verdictOf(all: readonly Health[]): {
  readonly level: 'good' | 'warning' | 'bad'
  readonly troubled: readonly Health[]
} {
  const bad = all.filter(({ level }) => level === 'bad')
  if (bad.length > 0) return { level: 'bad', troubled: bad }
  const warnings = all.filter(
    ({ id, level }) => level === 'warning' || (level === 'unknown' && id !== 'doctor'),
  )
  return { level: warnings.length > 0 ? 'warning' : 'good', troubled: warnings }
}
