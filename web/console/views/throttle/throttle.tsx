import { api, dataOf } from '../../api/client.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { useClear } from './clear.ts'
import { accountColumns, keyOf, limitColumns } from './columns.tsx'
import { throttleTexts } from './texts.ts'

const perPage = 50
const everyMs = 15_000

/** What the limits count now, read again every 15 seconds, and the button that clears it. */
export function Throttle() {
  const t = throttleTexts.use()
  const { fields, change } = useAddress()
  const page = Math.max(1, Number.parseInt(fields.page ?? '1', 10) || 1)
  const limits = useLoad(
    String(page),
    (signal) =>
      dataOf(
        api.GET('/api/admin/throttle', { params: { query: { page, limit: perPage } }, signal }),
      ),
    { everyMs },
  )
  const clear = useClear(limits.reload)
  return (
    <>
      <h1>{t.title}</h1>
      <p>{t.lead}</p>
      <Loaded from={limits}>
        {({ accounts, counts }) => (
          <>
            <DataTable
              caption={t.accounts}
              columns={accountColumns(t, clear)}
              rows={accounts.data}
              keyOf={({ username }) => username}
              empty={t.accountsEmpty}
            />
            <DataTable
              caption={t.counts}
              columns={limitColumns(t, clear)}
              rows={counts.data}
              keyOf={keyOf}
              empty={t.countsEmpty}
            />
            <Pager
              page={page}
              pages={Math.ceil(Math.max(accounts.total, counts.total) / perPage)}
              goTo={(wanted) => change({ page: wanted === 1 ? '' : String(wanted) })}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly goTo: (page: number) => void
}

function Pager({ page, pages, goTo }: PagerProps) {
  const t = throttleTexts.use()
  if (pages <= 1 && page === 1) return null
  return (
    <div class="pager">
      <button
        type="button"
        class="quiet small"
        disabled={page === 1}
        onClick={() => goTo(page - 1)}
      >
        {t.before}
      </button>
      <span>{t.page(page, Math.max(pages, page))}</span>
      <button
        type="button"
        class="quiet small"
        disabled={page >= pages}
        onClick={() => goTo(page + 1)}
      >
        {t.next}
      </button>
    </div>
  )
}
