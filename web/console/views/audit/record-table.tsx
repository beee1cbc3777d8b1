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
}

/** Records of the audit log, the newest first. */
export function RecordTable({ records, hrefOf, empty }: Props) {
  const t = auditTexts.use()
  const columns: Column<AuditRecord>[] = [
    {
      key: 'type',
      label: t.fields.type,
      show: (record) => <a href={hrefOf(record)}>{t.events[record.type] ?? record.type}</a>,
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
export function Target({ of: { target } }: { readonly of: AuditRecord }) {
  const t = auditTexts.use()
  if (target === null) return null
  if (target.username !== null) return <bdi>{target.username}</bdi>
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
