import type { Language } from '../../../../src/core/lib/languages.ts'
import type { components } from '../../api/openapi.d.ts'
import type { Health } from '../../health.ts'
import type { OverviewTexts } from './texts.ts'

type Status = components['schemas']['AdminStatus']

type Judged = Pick<Health, 'level' | 'text'>

/** A row of the status that the area of a feature adds: `health-part.ts` of its view. */
export interface HealthPart {
  /** The part of the status, by its name there. */
  readonly id: Status['unknown'][number]['part']
  /** Its place among all rows. */
  readonly order: number
  readonly href: string
  readonly name: Readonly<Record<Language, string>>
  /** Null if the status does not have it. */
  judge(status: Status, language: Language, inWords: (seconds: number) => string): Judged | null
}

/** What the status and its parts are told with. */
export interface Telling {
  readonly texts: OverviewTexts
  readonly language: Language
  readonly inWords: (seconds: number) => string
  readonly parts: readonly HealthPart[]
}

/** A message that waits longer than this is late, in seconds. */
export const lateSeconds = 300

/** What the status says, in the order in which an operator asks. */
export function healthOf(
  status: Status,
  { texts: t, language, inWords, parts }: Telling,
): readonly Health[] {
  const words = t.works
  const part = (id: Status['unknown'][number]['part'], judged: Judged | null): Judged => {
    if (judged) return judged
    const reason = status.unknown.find((one) => one.part === id)?.reason ?? 'fault'
    return { level: 'unknown', text: words.unknownReasons[reason] }
  }
  const own = [
    { order: 10, id: 'service', name: words.service, ...part('readiness', service(status, t)) },
    { order: 20, id: 'schema', name: words.database, ...part('schema', schema(status, t)) },
    { order: 50, id: 'jobs', name: words.jobs, ...part('jobs', jobs(status, t)) },
  ].map((row) => ({ ...row, href: null }))
  const others = parts.map(({ href, id, judge, name, order }) => ({
    ...{ order, id, href, name: name[language] },
    ...part(id, judge(status, language, inWords)),
  }))
  return [...own, ...others]
    .toSorted((one, other) => one.order - other.order)
    .map(({ order, ...health }) => health)
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

function jobs({ jobs: all }: Status, { works: t }: OverviewTexts): Judged | null {
  if (!all) return null
  const troubled = all.filter(({ overdue, result }) => overdue || result === 'failed')
  if (troubled.length === 0) return { level: 'good', text: t.jobsGood(all.length) }
  return { level: 'bad', text: t.jobsBad(troubled.map(({ name }) => name).join(', ')) }
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
