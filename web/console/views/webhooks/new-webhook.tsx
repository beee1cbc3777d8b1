import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { choiceOf, eventsOf } from './event-choice.ts'
import { webhookPath, webhooksPath } from './paths.ts'
import { SecretShown } from './secret-shown.tsx'
import { webhooksTexts } from './texts.ts'
import type { WebhookWithSecret } from './webhook.ts'
import { type WebhookDraft, WebhookFields } from './webhook-fields.tsx'

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
