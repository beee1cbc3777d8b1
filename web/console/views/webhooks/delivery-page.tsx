import { DefinitionList } from '../../../components/data.tsx'
import { api, dataOf } from '../../api/client.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { useLoad } from '../../use-load.ts'
import { useReloadWhile } from '../../use-reload-while.ts'
import { deliveriesPath, webhookPath } from './paths.ts'
import { webhooksTexts } from './texts.ts'
import { deliveryTones } from './webhook.ts'

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
