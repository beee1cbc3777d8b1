import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { filtersOf, queryOf } from './delivery-filters.ts'
import { FilterForm } from './filter-form.tsx'
import { deliveryPath, webhookPath } from './paths.ts'
import { RepeatFailed } from './repeat-failed.tsx'
import { webhooksTexts } from './texts.ts'
import { type Delivery, deliveryTones, hostOf, maxCounted } from './webhook.ts'

interface Props {
  /** The id of a webhook; absent: the deliveries of all. */
  readonly webhook?: string
  /** Read again when it changes. */
  readonly version?: number
  readonly isEnabled?: boolean
  readonly onRepeated?: () => void
}

const perPage = 25

/** Deliveries, the newest first, with their filters in the address. */
export function DeliveryList({ webhook, version = 0, isEnabled = true, onRepeated }: Props) {
  const t = webhooksTexts.use()
  const { fields, change } = useAddress()
  const filters = filtersOf(fields)
  const { state, span, type, cursor } = filters
  const isFiltered = state !== '' || span !== '' || type !== ''
  const key = JSON.stringify([webhook, version, filters])
  const deliveries = useLoad(key, (signal) => {
    const query = { ...queryOf(filters, Date.now()), limit: perPage }
    return dataOf(
      webhook === undefined
        ? api.GET('/api/admin/webhooks/deliveries', { params: { query }, signal })
        : api.GET('/api/admin/webhooks/{id}/deliveries', {
            params: { path: { id: webhook }, query },
            signal,
          }),
    )
  })
  const hosts = useLoad(webhook === undefined ? 'all' : '', async (signal) =>
    webhook === undefined ? readHosts(signal) : noHosts,
  )
  const isWaiting = deliveries.data?.data.some((one) => one.state === 'waiting') ?? false
  useReloadWhile(isEnabled && isWaiting, deliveries)

  async function repeat({ id }: Delivery): Promise<void> {
    const params = { path: { id } }
    await dataOf(api.POST('/api/admin/webhooks/deliveries/{id}/repeat', { params }))
    toast(t.deliveries.repeated(id))
    deliveries.reload()
  }

  return (
    <>
      <FilterForm filters={filters} change={(changed) => change({ ...changed, cursor: '' })} />
      {webhook !== undefined && isEnabled && (
        <p>
          <RepeatFailed webhook={webhook} filters={filters} onRepeated={() => onRepeated?.()} />
        </p>
      )}
      <Loaded from={deliveries}>
        {({ data, next }) => (
          <>
            {data.length > 0 || next === null ? (
              <DataTable
                caption={t.deliveries.caption}
                columns={columnsOf(
                  t,
                  webhook === undefined ? (hosts.data ?? noHosts) : null,
                  repeat,
                )}
                rows={data}
                keyOf={({ id }) => String(id)}
                empty={isFiltered ? <NoneMatches showAll={showAll} /> : <p>{t.deliveries.empty}</p>}
              />
            ) : null}
            <div class="pager">
              {cursor !== '' && (
                <button type="button" class="quiet small" onClick={() => change({ cursor: '' })}>
                  {t.deliveries.newest}
                </button>
              )}
              {next !== null && (
                <button type="button" class="quiet small" onClick={() => change({ cursor: next })}>
                  {data.length < perPage ? t.deliveries.further : t.deliveries.older}
                </button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </>
  )

  function showAll(): void {
    change({ state: '', since: '', type: '', cursor: '' })
  }
}

function NoneMatches({ showAll }: { readonly showAll: () => void }) {
  const t = webhooksTexts.use()
  return (
    <>
      <p>{t.deliveries.emptyFiltered}</p>
      <button type="button" class="quiet small" onClick={showAll}>
        {t.deliveries.showAll}
      </button>
    </>
  )
}

function columnsOf(
  t: ReturnType<typeof webhooksTexts.use>,
  hosts: ReadonlyMap<string, string> | null,
  repeat: (delivery: Delivery) => Promise<void>,
): Column<Delivery>[] {
  return [
    {
      key: 'id',
      label: t.deliveries.id,
      show: ({ id }) => <a href={deliveryPath(id)}>{id}</a>,
    },
    {
      key: 'type',
      label: t.deliveries.event,
      show: ({ type }) => <span title={type}>{t.typeWords[type] ?? <code>{type}</code>}</span>,
    },
    ...(hosts
      ? [
          {
            key: 'webhook',
            label: t.deliveries.webhook,
            show: ({ webhook }: Delivery) => (
              <a href={webhookPath(webhook)} class="cut" title={webhook}>
                <bdi>{hosts.get(webhook) ?? webhook}</bdi>
              </a>
            ),
          },
        ]
      : []),
    { key: 'at', label: t.deliveries.at, show: ({ at }) => <Time at={at} /> },
    {
      key: 'state',
      label: t.deliveries.state,
      show: ({ state }) => <Mark tone={deliveryTones[state]}>{t.deliveries.states[state]}</Mark>,
    },
    {
      key: 'answer',
      label: t.deliveries.answer,
      show: (delivery) => <LastAnswer delivery={delivery} />,
    },
    {
      key: 'attempts',
      label: t.deliveries.attempts,
      isNumber: true,
      show: ({ attempts }) => attempts,
    },
    {
      key: 'repeat',
      label: t.deliveries.action,
      show: (delivery) => (
        <ActionButton kind="quiet" isSmall onClick={() => repeat(delivery)}>
          {t.deliveries.repeat}
        </ActionButton>
      ),
    },
  ]
}

const noHosts: ReadonlyMap<string, string> = new Map()

/** The hosts of all webhooks by their ids, by which people know them. */
async function readHosts(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const params = { query: { limit: maxCounted } }
  const { data } = await dataOf(api.GET('/api/admin/webhooks', { params, signal }))
  return new Map(data.map(({ id, url }) => [id, hostOf(url)]))
}

/** What the receiver answered, or why it did not, and when it is tried again. */
function LastAnswer({ delivery }: { readonly delivery: Delivery }) {
  const t = webhooksTexts.use()
  const { state, status, detail, attempts, due_at: dueAt } = delivery
  return (
    <>
      {detail !== null && state !== 'delivered' ? detail : status !== null && t.answered(status)}
      {attempts > 0 && dueAt !== null && (
        <div class="muted">
          {t.deliveries.next}: <Time at={dueAt} />
        </div>
      )}
    </>
  )
}
