import { Table } from '../../../components/data.tsx'
import { useCommon } from '../../../context.ts'
import type { components } from '../../api/openapi.d.ts'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import type { Health } from '../../health.ts'
import type { Load } from '../../use-load.ts'
import type { LoadedPart } from './parts.ts'
import { overviewTexts } from './texts.ts'

type Job = components['schemas']['JobState']

/** A row that is read apart from the status. */
interface OtherRow extends Pick<LoadedPart<unknown>, 'Details'> {
  readonly health: Health
  readonly load: Load<unknown>
}

interface Props {
  readonly health: readonly Health[]
  readonly others: readonly OtherRow[]
  readonly jobs: readonly Job[]
}

/** Does it work? A row for each thing that can be broken, with what is wrong and where to mend it. */
export function Works({ health, others, jobs }: Props) {
  const t = overviewTexts.use()
  return (
    <section aria-labelledby="works">
      <h2 id="works">{t.works.title}</h2>
      <ul class="works">
        {health.map((one) => (
          <Row key={one.id} health={one}>
            {one.id === 'jobs' && jobs.length > 0 && <Jobs jobs={jobs} />}
          </Row>
        ))}
        {others.map(({ Details, health: one, load: { data, problem } }) => (
          <Row key={one.id} health={problem !== null && data === null ? failed(one) : one}>
            {data !== null && <Details data={data} />}
          </Row>
        ))}
      </ul>
    </section>
  )

  function failed(one: Health): Health {
    return { ...one, text: t.works.unknownReasons.fault }
  }
}

interface RowProps {
  readonly health: Health
  readonly children?: preact.ComponentChildren
}

function Row({ health: { href, id, level, name, text }, children }: RowProps) {
  const t = overviewTexts.use()
  const tone = level === 'off' || level === 'unknown' ? 'plain' : level
  return (
    <li id={`works-${id}`} tabIndex={-1}>
      <Mark tone={tone}>{t.levels[level]}</Mark>
      <h3>
        {href === null ? (
          name
        ) : (
          <a href={href} title={`${t.works.open}: ${name}`}>
            {name}
          </a>
        )}
      </h3>
      <div class="what">
        <p>{text}</p>
        {children}
      </div>
    </li>
  )
}

function Jobs({ jobs }: { readonly jobs: readonly Job[] }) {
  const t = overviewTexts.use()
  const { inWords } = useCommon()
  const { jobColumns: columns } = t.works
  return (
    <details>
      <summary>{t.works.jobsTable}</summary>
      <Table
        caption={t.works.jobsTable}
        head={[columns.name, columns.result, columns.ran, columns.every]}
        rows={jobs.map(({ every_seconds, last_run_at, name, overdue, result }) => [
          name,
          overdue || result === 'failed' ? (
            <Mark tone="bad">
              {result === 'failed' ? t.works.jobResults.failed : t.works.overdue}
            </Mark>
          ) : (
            t.works.jobResults[result]
          ),
          last_run_at === null ? '–' : <Time at={last_run_at} />,
          inWords(every_seconds),
        ])}
      />
    </details>
  )
}
