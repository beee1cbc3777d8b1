import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useLoad } from '../../use-load.ts'
import { Section } from './section.tsx'
import { accountTexts } from './texts.ts'

type AuditRecord = components['schemas']['AuditRecord']

interface Props {
  readonly username: string
  /** Read again with each. */
  readonly version: number
}

/** The last events of the account, those of its owner and those about it. */
export function AuditSection({ username, version }: Props) {
  const t = accountTexts.use()
  const load = useLoad(String(version), (signal) =>
    dataOf(
      api.GET('/api/admin/audit', { params: { query: { target: username, limit: 10 } }, signal }),
    ),
  )
  const columns: Column<AuditRecord>[] = [
    {
      key: 'type',
      label: t.event,
      show: ({ type, id }) => <a href={`/admin/audit?record=${id}`}>{t.events[type] ?? type}</a>,
    },
    { key: 'at', label: t.at, show: ({ at }) => <Time at={at} /> },
    {
      key: 'result',
      label: t.result,
      show: ({ outcome }) => (outcome === 'success' ? t.success : t.failure),
    },
    {
      key: 'actor',
      label: t.actor,
      show: ({ actor }) => (
        <UserText>{actor.username ?? actor.subject ?? actor.kind ?? ''}</UserText>
      ),
    },
    { key: 'address', label: t.address, show: ({ address }) => address ?? '' },
  ]
  const all = <a href={`/admin/audit?${new URLSearchParams({ target: username })}`}>{t.auditAll}</a>
  return (
    <Section title={t.audit} aside={all}>
      <Loaded from={load}>
        {({ data }) => (
          <DataTable
            caption={t.auditCaption}
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={<p>{t.noAudit}</p>}
          />
        )}
      </Loaded>
    </Section>
  )
}
