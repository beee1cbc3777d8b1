import { api, dataOf } from '../../api/client.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { EventNames } from './event-names.tsx'
import { newWebhookPath, webhookPath } from './paths.ts'
import { Tabs } from './tabs.tsx'
import { webhooksTexts } from './texts.ts'
import { hostOf, maxCounted, stateTones, type Webhook } from './webhook.ts'

/** All webhooks: where events go, and whether they arrive. */
export function WebhookList() {
  const t = webhooksTexts.use()
  const webhooks = useLoad('', (signal) =>
    dataOf(api.GET('/api/admin/webhooks', { params: { query: { limit: maxCounted } }, signal })),
  )
  const columns: Column<Webhook>[] = [
    {
      key: 'url',
      label: t.address,
      show: ({ id, url, description }) => (
        <>
          <a href={webhookPath(id)} title={url}>
            <bdi>{hostOf(url)}</bdi>
          </a>
          {description !== '' && (
            <div class="muted">
              <bdi>{description}</bdi>
            </div>
          )}
        </>
      ),
    },
    { key: 'events', label: t.events, show: ({ events }) => <EventNames events={events} /> },
    { key: 'state', label: t.state, show: (webhook) => <WebhookMark webhook={webhook} /> },
    { key: 'health', label: t.lastAnswer, show: ({ health }) => <Answer health={health} /> },
  ]
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <a class="button" href={newWebhookPath}>
          {t.create}
        </a>
      </div>
      <p class="muted">{t.intro}</p>
      <Tabs open="webhooks" />
      <Loaded from={webhooks}>
        {({ data }) => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={data}
            keyOf={({ id }) => id}
            empty={
              <>
                <p>{t.empty}</p>
                <p>
                  <a class="button" href={newWebhookPath}>
                    {t.create}
                  </a>
                </p>
              </>
            }
          />
        )}
      </Loaded>
    </>
  )
}

/** The state of a webhook; one that is enabled may fail all the same. */
export function WebhookMark({ webhook }: { readonly webhook: Webhook }) {
  const t = webhooksTexts.use()
  const { state, health } = webhook
  return state === 'enabled' && health.failing_since !== null ? (
    <Mark tone="warning">{t.failing}</Mark>
  ) : (
    <Mark tone={stateTones[state]}>{t.states[state]}</Mark>
  )
}

function Answer({ health }: Pick<Webhook, 'health'>) {
  const t = webhooksTexts.use()
  const { failing_since: failingSince, succeeded_at: succeededAt, status } = health
  const at = failingSince ?? succeededAt
  if (at === null) return <span class="muted">{t.neverSent}</span>
  return (
    <>
      {status === null ? t.notAnswered : t.answered(status)}
      <div class="muted">
        {failingSince === null ? t.succeededAt : t.failingSince}: <Time at={at} />
      </div>
    </>
  )
}
