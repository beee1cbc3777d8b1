import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { useClear } from './clear.ts'
import { throttleTexts } from './texts.ts'

type Limits = components['schemas']['LoginLimits']
export type FailingAccount = Limits['accounts']['data'][number]
export type LoginLimit = Limits['counts']['data'][number]

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

type Texts = ReturnType<typeof throttleTexts.use>
type Clear = (username: string) => Promise<void>

function accountColumns(t: Texts, clear: Clear): Column<FailingAccount>[] {
  return [
    {
      key: 'username',
      label: t.columns.username,
      show: ({ username }) => <AccountLink name={username} />,
    },
    {
      key: 'failures',
      label: t.columns.failures,
      isNumber: true,
      show: ({ failures }) => failures,
    },
    {
      key: 'state',
      label: t.columns.state,
      show: ({ locked_until }) =>
        locked_until === null ? (
          <span class="mark">{t.state.counting}</span>
        ) : (
          <>
            <span class="mark bad">{t.state.out}</span> <Time at={locked_until} />
          </>
        ),
    },
    {
      key: 'actions',
      label: t.columns.actions,
      show: ({ username }) => <Actions name={username} clear={clear} />,
    },
  ]
}

function limitColumns(t: Texts, clear: Clear): Column<LoginLimit>[] {
  return [
    { key: 'count', label: t.columns.count, show: ({ count }) => t.limits[count] },
    { key: 'username', label: t.columns.username, show: (limit) => <Name limit={limit} /> },
    { key: 'address', label: t.columns.address, show: ({ address }) => address ?? '' },
    {
      key: 'used',
      label: t.columns.used,
      isNumber: true,
      show: ({ attempts, pending, used }) =>
        `${t.usedOf(used, attempts)}${pending > 0 ? `, ${t.pending(pending)}` : ''}`,
    },
    {
      key: 'until',
      label: t.columns.until,
      show: ({ blocked_until }) =>
        blocked_until !== null && (
          <>
            <span class="mark bad">{t.state.full}</span> <Time at={blocked_until} />
          </>
        ),
    },
    {
      key: 'actions',
      label: t.columns.actions,
      show: ({ client, username }) => {
        const name = username ?? client
        return name ? (
          <Actions name={name} clear={clear} isClient={!username} />
        ) : (
          <span class="muted">{t.noClear}</span>
        )
      },
    },
  ]
}

function Name({ limit: { client, username } }: { readonly limit: LoginLimit }) {
  if (username) return <AccountLink name={username} />
  return client ? <bdi class="cut">{client}</bdi> : null
}

interface ActionsProps {
  readonly name: string
  readonly clear: Clear
  readonly isClient?: boolean
}

function Actions({ name, clear, isClient = false }: ActionsProps) {
  const t = throttleTexts.use()
  return (
    <span class="row-actions">
      <ActionButton kind="quiet" isSmall onClick={() => clear(name)}>
        {t.clear}
      </ActionButton>
      {!isClient && <a href={`/admin/why?${new URLSearchParams({ q: name })}`}>{t.whyThis}</a>}
    </span>
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

function keyOf({ address, client, count, username }: LoginLimit): string {
  return [count, username ?? client ?? '', address ?? ''].join(' ')
}
