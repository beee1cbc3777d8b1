import { useAddress } from '../../use-address.ts'
import { ExportButton } from './export-button.tsx'
import { FilterForm } from './filter-form.tsx'
import { Proof } from './proof.tsx'
import { auditAddress, filtersOf } from './query.ts'
import { PageOfRecords, TailOfRecords } from './record-list.tsx'
import { auditTexts } from './texts.ts'

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
