import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Loaded, LoadFailed } from '../../components/loaded.tsx'
import { toast } from '../../components/toasts.tsx'
import { session } from '../../session/session.ts'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { FilterForm } from './filter-form.tsx'
import { foldReads } from './fold-reads.ts'
import { Proof } from './proof.tsx'
import type { AuditRecord, Filters } from './query.ts'
import { auditAddress, filtersOf, readRecords, searchOf } from './query.ts'
import { RecordDialog } from './record-dialog.tsx'
import { RecordTable } from './record-table.tsx'
import { auditTexts } from './texts.ts'
import { useTail } from './use-tail.ts'

interface Props {
  readonly filters: Filters
}

const perPage = 50

/** A page of records, from the cursor of the address on. */
export function PageOfRecords({ filters }: Props) {
  const t = auditTexts.use()
  const { fields } = useAddress()
  const { cursor = '' } = fields
  const page = useLoad(JSON.stringify([filters, cursor]), (signal) =>
    readRecords(filters, { limit: perPage, ...(cursor && { cursor }) }, signal),
  )
  return (
    <Loaded from={page}>
      {({ data, next }) => (
        <>
          <Records filters={filters} records={data} empty={t.empty} />
          <div class="pager">
            {next !== null && (
              <a class="button quiet small" href={auditAddress({ ...fields, cursor: next })}>
                {t.older}
              </a>
            )}
            {cursor !== '' && (
              <a class="button quiet small" href={auditAddress({ ...fields, cursor: '' })}>
                {t.newest}
              </a>
            )}
          </div>
        </>
      )}
    </Loaded>
  )
}

/** The newest records, and those that are written from now on. */
export function TailOfRecords({ filters }: Props) {
  const t = auditTexts.use()
  const { records, count, problem, retry } = useTail(filters)
  return (
    <div aria-busy={records === null && problem === null}>
      {problem !== null && <LoadFailed problem={problem} retry={retry} />}
      <p class="tail" role="status">
        {t.tail.isOn} {records && t.tail.shown(count)}
      </p>
      {records && <Records filters={filters} records={records} empty={t.tail.waiting} />}
    </div>
  )
}

interface RecordsProps extends Props {
  readonly records: readonly AuditRecord[]
  /** Said where nothing is recorded although all of it is wanted. */
  readonly empty: string
}

/** Records, and above them the one that the address opens. */
function Records({ filters, records, empty }: RecordsProps) {
  const t = auditTexts.use()
  const { fields, change } = useAddress()
  const { record: opened = '' } = fields
  const own = fields.reads === 'all' || filters.type ? null : (session.value?.username ?? null)
  const rows = foldReads(records, own)
  return (
    <>
      <div class="records">
        <RecordTable
          records={rows.map(({ first }) => first)}
          foldedAt={({ id }) => rows.find(({ first }) => first.id === id)?.count ?? 1}
          unfoldHref={auditAddress({ ...fields, reads: 'all' })}
          hrefOf={({ id }) => auditAddress({ ...fields, record: id })}
          empty={Object.keys(filters).length > 0 ? t.emptyFiltered : empty}
        />
      </div>
      {opened !== '' && (
        <RecordDialog
          key={opened}
          id={opened}
          record={records.find(({ id }) => id === opened)}
          onClose={() => change({ record: '' })}
        />
      )}
    </>
  )
}

/** The audit log: its filters, its place, the open record and the live tail stand in the address. */
export function Audit() {
  const t = auditTexts.use()
  const { fields } = useAddress()
  const filters = filtersOf(fields)
  const isLive = fields.live === 'on'
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <div class="actions">
          <a
            class={isLive ? 'button small' : 'button quiet small'}
            href={auditAddress({ ...fields, cursor: '', live: isLive ? '' : 'on' })}
          >
            {isLive ? t.tail.stop : t.tail.start}
          </a>
          <ExportButton filters={filters} />
        </div>
      </div>
      <p class="muted">{t.intro}</p>
      <Proof />
      <FilterForm filters={filters} />
      {isLive ? <TailOfRecords filters={filters} /> : <PageOfRecords filters={filters} />}
    </>
  )
}

/** Saves the records of the filters as a file, which the browser itself takes: it may be large. */
export function ExportButton({ filters }: { readonly filters: Filters }) {
  const t = auditTexts.use()
  async function save(): Promise<void> {
    // A download shows no refusal: that the session is there is asked first, and a login in place.
    await dataOf(api.GET('/api/session'))
    const link = document.createElement('a')
    link.href = `/api/admin/audit/export?${searchOf(filters)}`
    link.download = `audit-${new Date().toISOString().slice(0, 10)}.jsonl`
    link.click()
    toast(t.isExporting)
  }
  return (
    <ActionButton kind="quiet" isSmall onClick={save}>
      {t.export}
    </ActionButton>
  )
}
