import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, taggedOf } from '../../api/client.ts'
import { changeShown } from '../../change-shown.ts'
import { ActionForm } from '../../components/action-form.tsx'
import type { Difference } from '../../components/conflict.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { toast } from '../../components/toasts.tsx'
import { useLoad } from '../../use-load.ts'
import { choiceOf, eventsOf } from './event-choice.ts'
import { webhookPath } from './paths.ts'
import { webhooksTexts } from './texts.ts'
import { hostOf, type Webhook } from './webhook.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

type Changes = Pick<Webhook, 'url' | 'description' | 'events' | 'content'>

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
  const path = { id }
  const [draft, setDraft] = useState<WebhookDraft>({
    ...{ url, description, content },
    choice: choiceOf(events, Object.keys(t.eventWords)),
  })

  async function save(): Promise<void> {
    const { choice, ...fields } = draft
    const body = { ...fields, events: eventsOf(choice) }
    const changed = await changeShown<Webhook>(
      { data: webhook, etag },
      {
        put: (tag) => {
          const params = { path, header: { 'If-Match': tag } }
          return taggedOf(api.PUT('/api/admin/webhooks/{id}', { params, body }))
        },
        read: () => taggedOf(api.GET('/api/admin/webhooks/{id}', { params: { path } })),
        differencesOf: (present) => differencesOf(t, present, body),
      },
    )
    if (changed) toast(t.page.changed)
    route(webhookPath(id))
  }
  return (
    <>
      <p class="muted">{hostOf(url)}</p>
      <ActionForm action={t.form.save} cancel={webhookPath(id)} onSubmit={save}>
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

/** The fields that differ, in the words of the form. */
function differencesOf(
  t: ReturnType<typeof webhooksTexts.use>,
  theirs: Webhook,
  own: Changes,
): readonly Difference[] {
  const all: readonly Difference[] = [
    { label: t.form.url, theirs: theirs.url, own: own.url },
    { label: t.form.description, theirs: theirs.description, own: own.description },
    { label: t.form.events, theirs: theirs.events.join(', '), own: own.events.join(', ') },
    { label: t.form.content, theirs: t.form[theirs.content], own: t.form[own.content] },
  ]
  return all.filter((one) => one.theirs !== one.own)
}
