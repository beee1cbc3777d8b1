import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { DefinitionList } from '../../../components/data.tsx'
import { Notice } from '../../../components/messages.tsx'
import { api, taggedOf } from '../../api/client.ts'
import { Copyable } from '../../components/copyable.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { DeliveryList } from './delivery-list.tsx'
import { EventNames } from './event-names.tsx'
import { webhooksPath } from './paths.ts'
import { SecretShown } from './secret-shown.tsx'
import { webhooksTexts } from './texts.ts'
import { hostOf, type Webhook } from './webhook.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookMark } from './webhook-list.tsx'

/** A webhook: how it answers, what can be done with it, and what was sent to it. */
export function WebhookPage({ id }: { readonly id: string }) {
  const t = webhooksTexts.use()
  const { route } = useLocation()
  const [secret, setSecret] = useState<string | null>(null)
  // A test, or a repetition, adds to the list below: it is read again then.
  const [sent, setSent] = useState(0)
  const webhook = useLoad(`${id} ${sent}`, (signal) =>
    taggedOf(api.GET('/api/admin/webhooks/{id}', { params: { path: { id } }, signal })),
  )
  return (
    <>
      <p>
        <a href={webhooksPath}>{t.all}</a>
      </p>
      <Loaded from={webhook}>
        {({ data, etag }) => (
          <>
            <div class="heading">
              <h1>
                <bdi>{hostOf(data.url)}</bdi> <WebhookMark webhook={data} />
              </h1>
              <WebhookActions
                webhook={data}
                etag={etag}
                onChanged={webhook.replace}
                onSent={() => setSent(sent + 1)}
                onSecret={setSecret}
                onRemoved={() => route(webhooksPath)}
              />
            </div>
            {secret !== null && <SecretShown secret={secret} onDone={() => setSecret(null)} />}
            <Warning webhook={data} />
            <Facts webhook={data} />
          </>
        )}
      </Loaded>
      <h2>{t.deliveries.title}</h2>
      <DeliveryList
        webhook={id}
        version={sent}
        isEnabled={webhook.data?.data.state === 'enabled'}
        onRepeated={() => setSent(sent + 1)}
      />
    </>
  )
}

function Warning({ webhook: { state, health } }: { readonly webhook: Webhook }) {
  const { page: t } = webhooksTexts.use()
  const isFailing = state === 'enabled' && health.failing_since !== null
  if (state !== 'failed' && !isFailing) return null
  return (
    <Notice kind="warning">
      <p>{isFailing ? t.isFailing : t.wasDisabled}</p>
    </Notice>
  )
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const t = webhooksTexts.use()
  const { id, url, description, events, content, health } = webhook
  const time = (at: string | null) => (at === null ? '–' : <Time at={at} />)
  const previous = webhook.previous_secret_until
  return (
    <DefinitionList
      rows={[
        [t.address, <Copyable key="url" text={url} about={t.page.copyAddress} />],
        ...(description === ''
          ? []
          : [[t.description, <bdi key="description">{description}</bdi>] as const]),
        [t.events, <EventNames key="events" events={events} isComplete />],
        [t.page.content, t.form[content]],
        [
          t.lastAnswer,
          health.status === null
            ? health.failing_since === null
              ? t.neverSent
              : t.notAnswered
            : t.answered(health.status),
        ],
        [t.succeededAt, time(health.succeeded_at)],
        ...(health.failing_since === null
          ? []
          : [[t.failingSince, time(health.failing_since)] as const]),
        ...(previous === null ? [] : [[t.page.previousSecret, time(previous)] as const]),
        [t.page.createdAt, time(webhook.created_at)],
        [t.page.updatedAt, time(webhook.updated_at)],
        [t.page.id, <code key="id">{id}</code>],
      ]}
    />
  )
}
