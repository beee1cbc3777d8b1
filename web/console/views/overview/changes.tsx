import { AccountLink } from '../../components/account-link.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { type AuditRecord, readChanges } from './read.ts'
import { type OverviewTexts, overviewTexts } from './texts.ts'

/** What changed? The last administrative events. Each reading is in the audit log: none goes by itself. */
export function Changes() {
  const t = overviewTexts.use()
  const changes = useLoad('', readChanges)
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{t.changes.title}</h2>
      <Loaded from={changes}>
        {(records) => (
          <DataTable
            caption={t.changes.caption}
            columns={columnsOf(t)}
            rows={records}
            keyOf={({ id }) => id}
            empty={t.changes.empty}
          />
        )}
      </Loaded>
      <p>
        <a href="/admin/audit">{t.changes.all}</a>
      </p>
    </section>
  )
}

function columnsOf(t: OverviewTexts): Column<AuditRecord>[] {
  const { columns, kinds } = t.changes
  return [
    { key: 'what', label: columns.what, show: ({ type }) => t.events[type] ?? type },
    { key: 'at', label: columns.at, show: ({ at }) => <Time at={at} /> },
    {
      key: 'by',
      label: columns.by,
      show: ({ actor, type }) => {
        if (actor.username) return <AccountLink name={actor.username} />
        return type.startsWith('sys_')
          ? t.changes.service
          : (kinds[actor.kind ?? ''] ?? actor.subject)
      },
    },
    {
      key: 'whom',
      label: columns.whom,
      show: ({ target }) => target?.username && <AccountLink name={target.username} />,
    },
    { key: 'address', label: columns.address, show: ({ address }) => address },
  ]
}
