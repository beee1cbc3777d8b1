import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { session } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import type { Explanation } from './answered.tsx'
import { type AuditRecord, filtersOf, placed } from './around.ts'
import { readAround } from './read-around.ts'
import { whyTexts } from './texts.ts'

interface Props {
  readonly subject: Explanation['subject']
  readonly username: Explanation['username']
  readonly refusal: Explanation['refusal']
  /** Reads again when it changes. */
  readonly count: number
}

/** What the audit log has of the account, or of the address, around the refusal. */
export function Timeline({ subject, username, refusal, count }: Props) {
  const t = whyTexts.use()
  const wanted = { subject, refusal }
  const [filters] = filtersOf(wanted)
  const records = useLoad(`${count} ${JSON.stringify(filters)}`, (signal) =>
    readAround(wanted, signal),
  )
  if (!filters) return null
  return (
    <section>
      <h2>{refusal ? t.timeline.title : t.timeline.lately}</h2>
      <p class="hint">{subject === null ? t.timeline.ofAddress : t.timeline.ofAccount}</p>
      <Loaded from={records}>
        {(all) => (
          <>
            {all.length === 0 && <p class="muted">{t.timeline.empty}</p>}
            <ol class="why-timeline">
              {placed(all, refusal).map((record) =>
                record === null ? (
                  <ThisOne key="this" refusal={refusal} />
                ) : (
                  <Entry key={record.id} record={record} own={username} refusedId={refusal?.id} />
                ),
              )}
            </ol>
          </>
        )}
      </Loaded>
      <p>
        <a href={`/admin/audit?${new URLSearchParams(filters)}`}>{t.timeline.more}</a>
      </p>
    </section>
  )
}

/** The refusal itself, where the audit log has no record of it. */
function ThisOne({ refusal }: Pick<Props, 'refusal'>) {
  const t = whyTexts.use()
  if (!refusal) return null
  return (
    <li class="this bad">
      <Time at={refusal.at} />
      <span class="what">{`${refusal.method} ${refusal.route ?? ''}`}</span>
      <Mark tone="bad">{t.timeline.this}</Mark>
    </li>
  )
}

interface EntryProps {
  readonly record: AuditRecord
  /** The username whose timeline it is. */
  readonly own: string | null
  readonly refusedId: string | undefined
}

function Entry({ record, own, refusedId }: EntryProps) {
  const t = whyTexts.use()
  const { actor, address, at, count, outcome, request_id, type } = record
  const isFailure = outcome === 'failure'
  const isThis = request_id !== null && request_id === refusedId
  const by = actor.username ?? (actor.kind === 'cli' || actor.kind === 'job' ? actor.kind : null)
  return (
    <li class={`${isThis ? 'this ' : ''}${isFailure ? 'bad' : ''}`}>
      <Time at={at} />
      <span class="what">
        {t.events[type] ?? type}
        {count > 1 && <> · {t.timeline.times(count)}</>}
        {by !== null && by !== own && (
          <>
            {' · '}
            <bdi>{t.timeline.by(by === session.value?.username ? t.timeline.you : by)}</bdi>
          </>
        )}
        {address !== null && <> · {t.timeline.from(address)}</>}
      </span>
      {isThis ? (
        <Mark tone="bad">{t.timeline.this}</Mark>
      ) : (
        isFailure &&
        request_id !== null && (
          <a href={`/admin/why?${new URLSearchParams({ q: request_id })}`}>{t.timeline.whyThis}</a>
        )
      )}
    </li>
  )
}
