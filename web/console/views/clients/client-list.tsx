import { Notice } from '../../../components/messages.tsx'
import { api, dataOf } from '../../api/client.ts'
import { commandLine } from '../../command-line.ts'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { useLoad } from '../../use-load.ts'
import type { Client } from './client.ts'
import { clientPath, newClientPath } from './paths.ts'
import { clientsTexts } from './texts.ts'

const example = 'client add shop --audience api --may introspect --file clients.json'

/** All clients. The command line changes the file, which belongs to its owner. */
export function ClientList() {
  const t = clientsTexts.use()
  const clients = useLoad('', (signal) => dataOf(api.GET('/api/admin/clients', { signal })))
  const columns: Column<Client>[] = [
    { key: 'id', label: t.id, show: (client) => <NameOf client={client} /> },
    { key: 'type', label: t.kind, show: ({ type }) => t.types[type ?? 'none'] },
    {
      key: 'may',
      label: t.may,
      show: ({ may }) => may.map((permission) => t.permissions[permission]).join(', '),
    },
    {
      key: 'audiences',
      label: t.audiences,
      show: ({ audiences }) =>
        audiences.length === 0 ? (
          <span class="muted">{t.anyAudience}</span>
        ) : (
          <span title={t.audiencesHint}>{audiences.join(', ')}</span>
        ),
    },
    {
      key: 'secrets',
      label: t.secrets,
      show: ({ secrets }) =>
        secrets > 1 ? (
          <span title={t.inRotation}>
            <Mark tone="warning">{t.secretCount(secrets)}</Mark>
          </span>
        ) : (
          t.secretCount(secrets)
        ),
    },
    {
      key: 'change',
      label: t.change,
      show: (client) => client.source === 'file' && <Commands client={client} />,
    },
  ]
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <a class="button" href={newClientPath}>
          {t.create}
        </a>
      </div>
      <p class="muted">{t.intro}</p>
      <Loaded from={clients}>
        {({ data, mistakes }) => (
          <>
            {mistakes.length > 0 && <Mistakes mistakes={mistakes} />}
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => id}
              empty={
                <>
                  <p>{t.empty}</p>
                  <p>{t.emptyFile}</p>
                  <Copyable text={commandLine(example)} about={t.command} isBlock />
                </>
              }
            />
          </>
        )}
      </Loaded>
    </>
  )
}

function Mistakes({ mistakes }: { readonly mistakes: readonly string[] }) {
  const t = clientsTexts.use()
  return (
    <Notice kind="warning">
      <h2>{t.mistakes}</h2>
      <p>{t.mistakesHint}</p>
      <ul lang="en">
        {mistakes.map((mistake) => (
          <li key={mistake}>{mistake}</li>
        ))}
      </ul>
    </Notice>
  )
}

/** Of the application, for people, and the id. */
function NameOf({ client: { id, name, source, disabled } }: { readonly client: Client }) {
  const t = clientsTexts.use()
  if (source === 'file') return <bdi>{id}</bdi>
  return (
    <>
      <a href={clientPath(id)}>
        <bdi>{name ?? id}</bdi>
      </a>
      {name !== undefined && (
        <>
          {' '}
          <bdi class="muted">{id}</bdi>
        </>
      )}
      {disabled && (
        <>
          {' '}
          <Mark tone="warning">{t.disabled}</Mark>
        </>
      )}
    </>
  )
}

/** The commands that change a client, with its id in them. */
function Commands({ client: { id, secrets } }: { readonly client: Client }) {
  const t = clientsTexts.use()
  const commands = [
    ...(secrets === 1 ? [[t.renew, `client secret ${id}`] as const] : []),
    ...(secrets > 1 ? [[t.retire, `client retire ${id}`] as const] : []),
    [t.remove, `client remove ${id}`] as const,
  ]
  return (
    <details>
      <summary>{t.change}</summary>
      {commands.map(([what, command]) => (
        <div key={command}>
          <p class="muted">{what}</p>
          <Copyable text={commandLine(command)} about={t.command} isBlock />
        </div>
      ))}
    </details>
  )
}
