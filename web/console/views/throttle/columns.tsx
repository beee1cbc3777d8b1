import type { components } from '../../api/openapi.d.ts'
import { hasArea } from '../../areas.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import type { Column } from '../../components/data-table.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import type { Clear } from './clear.ts'
import { throttleTexts } from './texts.ts'

type FailingAccount = components['schemas']['FailingAccount']
type LoginLimit = components['schemas']['LoginLimit']
export type ThrottleTexts = ReturnType<typeof throttleTexts.use>

/** The columns of accounts with failed logins in a row. */
export function accountColumns(t: ThrottleTexts, clear: Clear): Column<FailingAccount>[] {
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
          <Mark>{t.state.counting}</Mark>
        ) : (
          <>
            <Mark tone="bad">{t.state.out}</Mark> <Time at={locked_until} />
          </>
        ),
    },
    {
      key: 'actions',
      label: t.columns.actions,
      show: ({ username }) => <Actions name={username} clear={clear.name} />,
    },
  ]
}

/** The columns of the limits that count an attempt. */
export function limitColumns(t: ThrottleTexts, clear: Clear): Column<LoginLimit>[] {
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
            <Mark tone="bad">{t.state.full}</Mark> <Time at={blocked_until} />
          </>
        ),
    },
    {
      key: 'actions',
      label: t.columns.actions,
      show: ({ address, client, count, username }) => {
        if (isOfAddress(count) && address) {
          return <Actions name={address} clear={clear.address} hasWhy={false} />
        }
        const name = username ?? client
        return name ? (
          <Actions name={name} clear={clear.name} hasWhy={!!username} />
        ) : (
          <span class="muted">{t.noClear}</span>
        )
      },
    },
  ]
}

function Name({ limit: { client, count, username } }: { readonly limit: LoginLimit }) {
  const t = throttleTexts.use()
  if (username) return <AccountLink name={username} />
  if (client) return <bdi class="cut">{client}</bdi>
  return !isOfAddress(count) && <span class="muted">{t.unknownName}</span>
}

function isOfAddress(count: LoginLimit['count']): boolean {
  return ['address', 'client_address', 'passkey_address', 'taken_usernames'].includes(count)
}

interface ActionsProps {
  readonly name: string
  readonly clear: (name: string) => Promise<void>
  readonly hasWhy?: boolean
}

function Actions({ name, clear, hasWhy = true }: ActionsProps) {
  const t = throttleTexts.use()
  const why = `/admin/why?${new URLSearchParams({ q: name })}`
  return (
    <span class="row-actions">
      <ActionButton kind="quiet" isSmall onClick={() => clear(name)}>
        {t.clear}
      </ActionButton>
      {hasWhy && hasArea(why) && <a href={why}>{t.whyThis}</a>}
    </span>
  )
}

export function keyOf({ address, client, count, username }: LoginLimit): string {
  return [count, username ?? client ?? '', address ?? ''].join(' ')
}
