import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, dataOf, taggedOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { toast } from '../../components/toasts.tsx'
import { useLoad } from '../../use-load.ts'
import { choiceOf, eventsOf } from './event-choice.ts'
import { webhookPath } from './paths.ts'
import { webhooksTexts } from './texts.ts'
import { hostOf, type Webhook } from './webhook.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

/** Changes a webhook, unless another administrator has changed it meanwhile. */
export function EditWebhook({ id }: { readonly id: string }) {
  const t = webhooksTexts.use()
  const params = { path: { id } }
  const webhook = useLoad(id, (signal) =>
    taggedOf(api.GET('/api/admin/webhooks/{id}', { params, signal })),
  )
  return (
    <>
      <p>
        <a href={webhookPath(id)}>{t.backToWebhook}</a>
      </p>
      <h1>{t.page.editTitle}</h1>
      <Loaded from={webhook}>
        {({ data, etag }) => <Form key={etag} webhook={data} etag={etag} />}
      </Loaded>
    </>
  )
}

function Form({ webhook, etag }: { readonly webhook: Webhook; readonly etag: string }) {
  const t = webhooksTexts.use()
  const { route } = useLocation()
  const { id, url, description, content, events } = webhook
  const [draft, setDraft] = useState<WebhookDraft>({
    ...{ url, description, content },
    choice: choiceOf(events, Object.keys(t.eventWords)),
  })

  async function save(): Promise<void> {
    const { choice, ...fields } = draft
    const params = { path: { id }, header: { 'If-Match': etag } }
    const body = { ...fields, events: eventsOf(choice) }
    await dataOf(api.PUT('/api/admin/webhooks/{id}', { params, body }))
    toast(t.page.changed)
    route(webhookPath(id))
  }
  return (
    <>
      <p class="muted">{hostOf(url)}</p>
      <ActionForm action={t.form.save} cancelHref={webhookPath(id)} onSubmit={save}>
        {(problemOf) => (
          <WebhookFields
            draft={draft}
            change={(changes) => setDraft({ ...draft, ...changes })}
            problemOf={problemOf}
          />
        )}
      </ActionForm>
    </>
  )
}
