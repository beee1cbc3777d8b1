import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { DefinitionList } from '../../../components/data.tsx'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { ActionForm } from '../../components/action-form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { DeliveryList } from './delivery-list.tsx'
import { EditWebhook } from './edit-webhook.tsx'
import { choiceOf, eventsOf } from './event-choice.ts'
import { deliveriesPath, webhookPath, webhooksPath } from './paths.ts'
import { SecretShown } from './secret-shown.tsx'
import { Tabs } from './tabs.tsx'
import { webhooksTexts } from './texts.ts'
import type { WebhookWithSecret } from './webhook.ts'
import { deliveryTones } from './webhook.ts'
import type { WebhookDraft } from './webhook-fields.tsx'
import { WebhookFields } from './webhook-fields.tsx'
import { WebhookList } from './webhook-list.tsx'
import { WebhookPage } from './webhook-page.tsx'

const empty: WebhookDraft = {
  url: '',
  description: '',
  content: 'ids',
  choice: choiceOf([], []),
}

/** Sets up a webhook, and shows its secret once. */
export function NewWebhook() {
  const t = webhooksTexts.use()
  const { route } = useLocation()
  const [draft, setDraft] = useState(empty)
  const [made, setMade] = useState<WebhookWithSecret | null>(null)

  async function create(): Promise<void> {
    const { url, description, content, choice } = draft
    const body = { url, description, content, events: eventsOf(choice) }
    setMade(await dataOf(api.POST('/api/admin/webhooks', { body })))
  }
  return (
    <>
      <p>
        <a href={webhooksPath}>{t.all}</a>
      </p>
      <h1>{t.create}</h1>
      {made === null ? (
        <ActionForm action={t.form.create} cancel={webhooksPath} onSubmit={create}>
          {(problemOf) => (
            <WebhookFields
              draft={draft}
              change={(changes) => setDraft({ ...draft, ...changes })}
              problemOf={problemOf}
            />
          )}
        </ActionForm>
      ) : (
        <SecretShown secret={made.secret} onDone={() => route(webhookPath(made.id))} />
      )}
    </>
  )
}

/** The views below /admin/webhooks. Each has a key, so that no data of another stands in it. */
export function Webhooks() {
  const { path } = useLocation()
  const [first = '', second = ''] = path.slice(webhooksPath.length + 1).split('/')
  if (first === '') return <WebhookList />
  if (first === 'new') return <NewWebhook />
  if (first === 'deliveries') {
    return second === '' ? <Deliveries /> : <DeliveryPage key={second} id={Number(second)} />
  }
  if (second === 'edit') return <EditWebhook key={first} id={first} />
  return <WebhookPage key={first} id={first} />
}

/** The deliveries of all webhooks. */
export function Deliveries() {
  const t = webhooksTexts.use()
  return (
    <>
      <div class="heading">
        <h1>{t.deliveries.title}</h1>
      </div>
      <Tabs open="deliveries" />
      <DeliveryList />
    </>
  )
}

/** One delivery: what became of it, and what the receiver said when it refused it. */
export function DeliveryPage({ id }: { readonly id: number }) {
  const t = webhooksTexts.use()
  const params = { path: { id } }
  const delivery = useLoad(String(id), (signal) =>
    dataOf(api.GET('/api/admin/webhooks/deliveries/{id}', { params, signal })),
  )
  useReloadWhile(delivery.data?.state === 'waiting', delivery)

  async function repeat(): Promise<void> {
    await dataOf(api.POST('/api/admin/webhooks/deliveries/{id}/repeat', { params }))
    toast(t.deliveries.repeated(id))
    delivery.reload()
  }
  const time = (at: string | null) => (at === null ? '–' : <Time at={at} />)
  return (
    <>
      <p>
        <a href={deliveriesPath}>{t.deliveries.title}</a>
      </p>
      <div class="heading">
        <h1>{t.delivery.title(id)}</h1>
        {delivery.data && <ActionButton onClick={repeat}>{t.deliveries.repeat}</ActionButton>}
      </div>
      <Loaded from={delivery}>
        {(data) => (
          <>
            <DefinitionList
              rows={[
                [
                  t.deliveries.state,
                  <Mark key="state" tone={deliveryTones[data.state]}>
                    {t.deliveries.states[data.state]}
                  </Mark>,
                ],
                [
                  t.deliveries.event,
                  <span key="type">
                    {t.typeWords[data.type]} <code>{data.type}</code>
                  </span>,
                ],
                [t.deliveries.at, time(data.at)],
                [
                  t.deliveries.webhook,
                  <a key="webhook" href={webhookPath(data.webhook)}>
                    {data.webhook}
                  </a>,
                ],
                [t.delivery.message, <code key="message">{data.message}</code>],
                [t.deliveries.attempts, data.attempts],
                [t.lastAnswer, data.status === null ? t.notAnswered : t.answered(data.status)],
                ...(data.detail === null ? [] : [[t.delivery.detail, data.detail] as const]),
                [t.delivery.createdAt, time(data.created_at)],
                ...(data.due_at === null ? [] : [[t.delivery.dueAt, time(data.due_at)] as const]),
                [t.delivery.finishedAt, time(data.finished_at)],
              ]}
            />
            <h2>{t.delivery.receiverSaid}</h2>
            {data.answer === null ? (
              <p class="muted">{t.delivery.receiverNothing}</p>
            ) : (
              <>
                <p class="muted">{t.delivery.receiverHint}</p>
                <pre dir="auto">{data.answer}</pre>
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
