import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Tagged, taggedOf } from '../../api/client.ts'
import { changeShown } from '../../change-shown.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { toast } from '../../components/toasts.tsx'
import { useLoad } from '../../use-load.ts'
import { type Client, type ClientWithSecret, draftOf, entryOf } from './client.ts'
import { ClientActions } from './client-actions.tsx'
import { ClientFields } from './client-fields.tsx'
import { clientSections } from './parts.ts'
import { clientsPath } from './paths.ts'
import { clientsTexts } from './texts.ts'
import { ToPaste } from './to-paste.tsx'
import { TryOut } from './try-out.tsx'

/** A client of the database, and what can be done with it. */
export function ClientPage({ id }: { readonly id: string }) {
  const t = clientsTexts.use()
  const { route } = useLocation()
  const [made, setMade] = useState<ClientWithSecret | null>(null)
  const params = { path: { id } }
  const client = useLoad(id, (signal) =>
    taggedOf(api.GET('/api/admin/clients/{id}', { params, signal })),
  )
  function show({ data, etag }: Tagged<ClientWithSecret>): void {
    const { secret, ...shown } = data
    client.replace({ data: shown, etag })
    setMade(secret === undefined ? null : data)
  }
  return (
    <>
      <p>
        <a href={clientsPath}>{t.all}</a>
      </p>
      <Loaded from={client}>
        {(shown) => (
          <>
            <div class="heading">
              <h1>
                <bdi>{shown.data.name ?? id}</bdi>{' '}
                {shown.data.disabled && <Mark tone="warning">{t.disabled}</Mark>}
              </h1>
              <ClientActions {...shown} onChanged={show} onRemoved={() => route(clientsPath)} />
            </div>
            {made !== null && <ToPaste made={made} onDone={() => setMade(null)} />}
            {shown.data.type === undefined || shown.data.source === 'file' ? (
              <p class="muted">{t.noForm}</p>
            ) : (
              <Form key={shown.etag} {...shown} onChanged={show} />
            )}
            {shown.data.type !== undefined && <Parts client={shown.data} />}
          </>
        )}
      </Loaded>
    </>
  )
}

/** A machine signs in for itself. */
function Parts({ client }: { readonly client: Client }) {
  if (client.type === 'machine') return null
  return (
    <>
      {!client.disabled && <TryOut client={client} />}
      {clientSections.map((Section, index) => (
        <Section key={index} client={client} />
      ))}
    </>
  )
}

interface FormProps extends Tagged<Client> {
  readonly onChanged: (changed: Tagged<ClientWithSecret>) => void
}

function Form({ data, etag, onChanged }: FormProps) {
  const t = clientsTexts.use()
  const [draft, setDraft] = useState(draftOf(data))
  const path = { id: data.id }

  async function save(): Promise<void> {
    const body = entryOf(data, draft)
    const changed = await changeShown<ClientWithSecret>(
      { data, etag },
      {
        put: (tag) => {
          const params = { path, header: { 'If-Match': tag } }
          return taggedOf(api.PUT('/api/admin/clients/{id}', { params, body }))
        },
        read: () => taggedOf(api.GET('/api/admin/clients/{id}', { params: { path } })),
        differencesOf: (present) => {
          const theirs = Object.entries(entryOf(present, draftOf(present)))
          return theirs.flatMap(([label, value]) => {
            const own = body[label as keyof typeof body] // both are entries
            const [one, other] = [JSON.stringify(value ?? null), JSON.stringify(own ?? null)]
            return one === other ? [] : [{ label, theirs: one, own: other }]
          })
        },
      },
    )
    if (!changed) return
    toast(t.changed)
    onChanged(changed)
  }
  return (
    <ActionForm action={t.form.save} onSubmit={save}>
      {(problemOf) => (
        <ClientFields
          isNew={false}
          draft={draft}
          change={(changes) => setDraft({ ...draft, ...changes })}
          problemOf={problemOf}
        />
      )}
    </ActionForm>
  )
}
