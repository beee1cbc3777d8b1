import { AreaLink } from '../../components/area-link.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { type AuditRecord, whyAddress } from './query.ts'
import { auditTexts } from './texts.ts'

interface Props {
  readonly records: readonly AuditRecord[]
  /** The address at which a record is open. */
  readonly hrefOf: (record: AuditRecord) => string
  readonly empty: string
  /** Of how many records this one is the first: own reads that follow each other are one row. */
  readonly foldedAt: (record: AuditRecord) => number
  /** The address at which each has a row. */
  readonly unfoldHref: string
}

/** Records of the audit log, the newest first. */
export function RecordTable({ records, hrefOf, empty, foldedAt, unfoldHref }: Props) {
  const t = auditTexts.use()
  const columns: Column<AuditRecord>[] = [
    {
      key: 'type',
      label: t.fields.type,
      show: (record) => {
        const words = t.events[record.type] ?? record.type
        const reads = foldedAt(record)
        if (reads === 1) return <a href={hrefOf(record)}>{words}</a>
        return <a href={unfoldHref}>{t.ownReads(words, reads)}</a>
      },
    },
    { key: 'at', label: t.fields.at, show: ({ at }) => <Time at={at} /> },
    { key: 'actor', label: t.fields.actor, show: (record) => <Actor of={record} /> },
    { key: 'target', label: t.fields.target, show: (record) => <Target of={record} /> },
    { key: 'address', label: t.fields.address, show: ({ address }) => address ?? '' },
    { key: 'outcome', label: t.fields.outcome, show: (record) => <Outcome of={record} /> },
  ]
  return (
    <DataTable
      caption={t.caption}
      columns={columns}
      rows={records}
      keyOf={({ id }) => id}
      empty={<p>{empty}</p>}
    />
  )
}

/** Who acted: a name where the log has one, else a program or what is known of the caller. */
export function Actor({ of: record }: { readonly of: AuditRecord }) {
  const t = auditTexts.use()
  const { actor, target, address, erased } = record
  const name = actor.username ?? actor.subject
  const program = t.programs[actor.kind ?? '']
  if (program !== undefined) return program
  if (name !== null) return <bdi>{name}</bdi>
  // Of no request, and about no person: a start, for example.
  if (!erased && address === null && target === null) return t.programs.job
  return <span class="muted">{erased ? t.erased : t.unknown}</span>
}

/** Whom it concerns: the name, or the id of a user whose name the event does not know. */
export function Target({ of: { actor, target } }: { readonly of: AuditRecord }) {
  const t = auditTexts.use()
  if (target === null) return null
  const isActor = target.user_id !== null && String(target.user_id) === actor.subject
  const name = target.username ?? (isActor ? actor.username : null)
  if (name !== null) return <bdi>{name}</bdi>
  return target.user_id === null ? null : t.user(target.user_id)
}

/** What became of it, with the reason of a refusal; what an alert should be made of stands out. */
export function Outcome({ of: record }: { readonly of: AuditRecord }) {
  const t = auditTexts.use()
  const { outcome, level, reason, count, damaged, request_id } = record
  const tone = level === 'critical' ? 'bad' : level === 'warn' ? 'warning' : 'plain'
  return (
    <>
      <Mark tone={outcome === 'success' && tone === 'plain' ? 'good' : tone}>
        {t.outcomes[outcome]}
      </Mark>
      {level === 'critical' && <> {t.levels.critical}</>}
      {reason !== null && (
        <>
          {' '}
          {outcome === 'failure' && request_id !== null ? (
            <AreaLink href={whyAddress(request_id)} title={t.whyRefused}>
              {reason}
            </AreaLink>
          ) : (
            reason
          )}
        </>
      )}
      {count > 1 && <> ×{count}</>}
      {damaged && <strong> {t.damaged}</strong>}
    </>
  )
}
