import { api, dataOf } from '../../api/client.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager, pageOf } from '../../components/pager.tsx'
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
  const page = pageOf(useAddress().fields)
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
            <Pager page={page} limit={perPage} total={Math.max(accounts.total, counts.total)} />
          </>
        )}
      </Loaded>
    </>
  )
}
