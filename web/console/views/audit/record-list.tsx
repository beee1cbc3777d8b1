import { Loaded, LoadFailed } from '../../components/loaded.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { type AuditRecord, auditAddress, type Filters, readRecords } from './query.ts'
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
        {t.tail.isOn} {t.tail.shown(count)}
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
  return (
    <>
      <RecordTable
        records={records}
        hrefOf={({ id }) => auditAddress({ ...fields, record: id })}
        empty={Object.keys(filters).length > 0 ? t.emptyFiltered : empty}
      />
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
