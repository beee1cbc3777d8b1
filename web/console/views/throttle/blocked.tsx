import type { ComponentChildren } from 'preact'
import { api, dataOf } from '../../api/client.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { useClear } from './clear.ts'
import { accountColumns, keyOf, limitColumns } from './columns.tsx'
import { throttleTexts } from './texts.ts'

const shown = 8
const everyMs = 20_000

interface Props {
  readonly texts: { readonly nothingBlocked: string; readonly all: string }
}

/** The accounts and addresses that are refused now, with the button that clears them. */
export function Blocked({ texts }: Props) {
  const columns = throttleTexts.use()
  const blocked = useLoad('', readBlocked, { everyMs })
  const clear = useClear(blocked.reload)
  const table = (one: ComponentChildren) => <div class="tile">{one}</div>
  return (
    <Loaded from={blocked}>
      {({ accounts, limits }) => (
        <>
          {accounts.length + limits.length === 0 && <p class="muted">{texts.nothingBlocked}</p>}
          {accounts.length > 0 &&
            table(
              <DataTable
                caption={columns.accounts}
                columns={accountColumns(columns, clear)}
                rows={accounts.slice(0, shown)}
                keyOf={({ username }) => username}
                empty={null}
              />,
            )}
          {limits.length > 0 &&
            table(
              <DataTable
                caption={columns.counts}
                columns={limitColumns(columns, clear)}
                rows={limits.slice(0, shown)}
                keyOf={keyOf}
                empty={null}
              />,
            )}
          <p>
            <a href="/admin/throttle">{texts.all}</a>
          </p>
        </>
      )}
    </Loaded>
  )
}

/** Accounts and limits that refuse now, the last used first, out of the latest hundred. */
async function readBlocked(signal: AbortSignal) {
  const { accounts, counts } = await dataOf(
    api.GET('/api/admin/throttle', { params: { query: { limit: 100 } }, signal }),
  )
  return {
    accounts: accounts.data.filter(({ locked_until }) => locked_until !== null),
    limits: counts.data.filter(({ blocked_until }) => blocked_until !== null),
  }
}
