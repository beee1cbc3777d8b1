import { Notice } from '../../../components/messages.tsx'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { commandLine } from '../../command-line.ts'
import { Copyable } from '../../components/copyable.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { useLoad } from '../../use-load.ts'
import { clientsTexts } from './texts.ts'

type Client = components['schemas']['Client']

const example = 'client add shop --audience api --may introspect --file clients.json'

/** The clients of CLIENTS_FILE; the command line changes them, because they are a file. */
export function Clients() {
  const t = clientsTexts.use()
  const clients = useLoad('', (signal) => dataOf(api.GET('/api/admin/clients', { signal })))
  const columns: Column<Client>[] = [
    { key: 'id', label: t.id, show: ({ id }) => <bdi>{id}</bdi> },
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
    { key: 'change', label: t.change, show: (client) => <Commands client={client} /> },
  ]
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
      </div>
      <p class="muted">{t.intro}</p>
      <Loaded from={clients}>
        {({ configured, data, mistakes }) =>
          configured ? (
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
                    <Copyable text={commandLine(example)} about={t.command} isBlock />
                  </>
                }
              />
            </>
          ) : (
            <NotConfigured />
          )
        }
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

function NotConfigured() {
  const t = clientsTexts.use()
  return (
    <div class="empty">
      <h2>{t.notConfigured}</h2>
      <p>{t.notConfiguredHint}</p>
      <Copyable text={commandLine(example)} about={t.command} isBlock />
      <p>{t.notConfiguredThen}</p>
    </div>
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
