import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { backupsTexts } from './texts.ts'

type AuditRecord = components['schemas']['AuditRecord']

/** When this database was restored, by its audit log. */
export function Restores() {
  const t = backupsTexts.use()
  const restores = useLoad('', (signal) => {
    const params = { query: { type: ['backup_restored'], limit: 20 } }
    return dataOf(api.GET('/api/admin/audit', { params, signal }))
  })
  const columns: Column<AuditRecord>[] = [
    { key: 'at', label: t.restoredAt, show: ({ at }) => <Time at={at} /> },
    { key: 'file', label: t.file, show: ({ details }) => <code>{textOf(details?.file)}</code> },
    {
      key: 'state',
      label: t.stateOf,
      show: ({ details }) => {
        const at = textOf(details?.created_at)
        return Number.isNaN(Date.parse(at)) ? at : <Time at={at} />
      },
    },
    { key: 'users', label: t.users, isNumber: true, show: ({ details }) => textOf(details?.users) },
    {
      key: 'logins',
      label: t.loginsKept,
      show: ({ details }) => (details?.logins_kept === true ? t.yes : t.no),
    },
    {
      key: 'verified',
      label: t.verified,
      show: ({ details }) => (details?.verified === true ? t.yes : t.no),
    },
  ]
  return (
    <section>
      <h2>{t.restores}</h2>
      <Loaded from={restores}>
        {({ data }) => (
          <DataTable
            caption={t.restoresCaption}
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={<p>{t.neverRestored}</p>}
          />
        )}
      </Loaded>
    </section>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
