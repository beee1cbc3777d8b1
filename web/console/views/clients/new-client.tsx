import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { type ClientDraft, type ClientWithSecret, emptyDraft, fieldsOf } from './client.ts'
import { ClientFields } from './client-fields.tsx'
import { clientPath, clientsPath } from './paths.ts'
import { clientsTexts } from './texts.ts'
import { ToPaste } from './to-paste.tsx'

/** Adds an application, and shows what it needs. */
export function NewClient() {
  const t = clientsTexts.use()
  const { route } = useLocation()
  const [draft, setDraft] = useState<ClientDraft>(emptyDraft)
  const [made, setMade] = useState<ClientWithSecret | null>(null)

  async function create(): Promise<void> {
    const body = { id: draft.id.trim(), ...fieldsOf(draft) }
    setMade(await dataOf(api.POST('/api/admin/clients', { body })))
  }
  return (
    <>
      <p>
        <a href={clientsPath}>{t.all}</a>
      </p>
      <h1>{t.create}</h1>
      {made === null ? (
        <ActionForm action={t.form.create} cancel={clientsPath} onSubmit={create}>
          {(problemOf) => (
            <ClientFields
              isNew
              draft={draft}
              change={(changes) => setDraft({ ...draft, ...changes })}
              problemOf={problemOf}
            />
          )}
        </ActionForm>
      ) : (
        <ToPaste made={made} onDone={() => route(clientPath(made.id))} />
      )}
    </>
  )
}
