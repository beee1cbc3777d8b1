import { Loaded } from '../../components/loaded.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { FilterForm } from './filter-form.tsx'
import { type AuditRecord, auditAddress, filtersOf, readRecords } from './query.ts'
import { RecordDialog } from './record-dialog.tsx'
import { RecordTable } from './record-table.tsx'
import { auditTexts } from './texts.ts'

const perPage = 50

/** The audit log: its filters, its place and the open record stand in the address. */
export function Audit() {
  const t = auditTexts.use()
  const { fields, change } = useAddress()
  const filters = filtersOf(fields)
  const { cursor = '', record: opened = '' } = fields
  const page = useLoad(JSON.stringify([filters, cursor]), (signal) =>
    readRecords(filters, { limit: perPage, ...(cursor && { cursor }) }, signal),
  )
  const hrefOf = ({ id }: AuditRecord) => auditAddress({ ...fields, record: id })
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <h1>{t.title}</h1>
      <p class="muted">{t.intro}</p>
      <FilterForm filters={filters} />
      <Loaded from={page}>
        {({ data, next }) => (
          <>
            <RecordTable
              records={data}
              hrefOf={hrefOf}
              empty={isFiltered ? t.emptyFiltered : t.empty}
            />
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
      {opened !== '' && (
        <RecordDialog
          key={opened}
          id={opened}
          record={page.data?.data.find(({ id }) => id === opened)}
          onClose={() => change({ record: '' })}
        />
      )}
    </>
  )
}
