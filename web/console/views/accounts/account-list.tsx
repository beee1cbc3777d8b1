import { useState } from 'preact/hooks'
import { invitationPath } from '../../account-path.ts'
import { hasArea } from '../../areas.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { ColumnChoice, columnsOf, useColumns } from './columns.tsx'
import { Filters } from './filters.tsx'
import { ManyBar } from './many-bar.tsx'
import { nothing } from './nothing.ts'
import {
  type FoundAccounts,
  filterNames,
  type ListedAccount,
  queryOf,
  readAccounts,
} from './read-accounts.ts'
import { accountsTexts } from './texts.ts'

const sizes = ['20', '50', '200']

/** The ways to the next page and back, and how many rows a page has. */
export function Pager({ page }: { readonly page: FoundAccounts }) {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const { next, previous, data } = page
  const goTo = (cursor: string | null) => () => change({ cursor: cursor ?? '' })
  return (
    <div class="pager">
      <button type="button" class="quiet small" disabled={!previous} onClick={goTo(previous)}>
        {t.previous}
      </button>
      <button type="button" class="quiet small" disabled={!next} onClick={goTo(next)}>
        {data.length === 0 && next ? t.goOnSearching : t.next}
      </button>
      {fields.cursor !== undefined && (
        <button type="button" class="quiet small" onClick={goTo(null)}>
          {t.first}
        </button>
      )}
      <label class="inline">
        {t.perPage}
        <select
          value={fields.limit ?? '50'}
          onChange={({ currentTarget }) => change({ limit: currentTarget.value, cursor: '' })}
        >
          {sizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** The accounts: searched, filtered, sorted and paged by the API, all of it in the address. */
export function AccountList() {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  const query = new URLSearchParams(fields).toString()
  const load = useLoad(query, (signal) => readAccounts(queryOf(fields, Date.now()), signal))
  const [selected, setSelected] = useState<ReadonlyMap<string, ListedAccount>>(new Map())
  const columns = useColumns()
  const sort = fields.sort ?? 'username'

  function select(keys: ReadonlySet<string>, { data }: FoundAccounts): void {
    const onPage = new Map(data.map((row) => [row.username, row]))
    const kept = [...selected].filter(([key]) => keys.has(key) || !onPage.has(key))
    const added = [...onPage].filter(([key]) => keys.has(key))
    setSelected(new Map([...kept, ...added]))
  }
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <div class="actions">
          {hasArea(invitationPath) && (
            <a class="button small" href={invitationPath}>
              {t.invite}
            </a>
          )}
          <a class="button quiet small" href="/admin/accounts?create=yes">
            {t.create}
          </a>
        </div>
      </div>
      <Filters />
      <Loaded from={load}>
        {(page) => (
          <>
            <ManyBar
              page={page}
              selected={selected}
              onSelect={setSelected}
              onChanged={load.reload}
            />
            <div class="list-head">
              <p class="muted" role="status">
                {page.total === null ? t.uncounted : t.found(page.total)}
              </p>
              <ColumnChoice {...columns} />
            </div>
            <div class="accounts">
              <DataTable
                caption={t.caption}
                columns={columnsOf(columns.chosen, t)}
                rows={page.data}
                keyOf={({ username }) => username}
                sorted={{ by: sort.replace('-', ''), isDescending: sort.startsWith('-') }}
                onSort={(by, isDescending) =>
                  change({ sort: `${isDescending ? '-' : ''}${by}`, cursor: '' })
                }
                selected={new Set(selected.keys())}
                onSelect={(keys) => select(keys, page)}
                empty={<Empty page={page} />}
              />
            </div>
            <Pager page={page} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Empty({ page }: { readonly page: FoundAccounts }) {
  const t = accountsTexts.use()
  const { fields, change } = useAddress()
  if (page.next !== null || page.previous !== null) return <p>{t.noneOnPage}</p>
  const isFiltered = filterNames.some((name) => fields[name] !== undefined)
  if (!isFiltered) return <p>{t.none}</p>
  return (
    <>
      <p>{t.empty}</p>
      <p class="muted">{t.emptyHint}</p>
      <button type="button" class="quiet" onClick={() => change(nothing)}>
        {t.clear}
      </button>
    </>
  )
}
