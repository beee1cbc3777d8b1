import { accountPath } from '../../account-path.ts'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager, pageOf } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import type { ClientPartProps } from '../clients/parts.ts'
import { clientsTexts } from '../clients/texts.ts'

type Person = components['schemas']['AccountOfApplication']

const limit = 20

/** Who has given the application access. */
export function ClientSection({ client: { id } }: ClientPartProps) {
  const t = clientsTexts.use().people
  const page = pageOf(useAddress().fields)
  const people = useLoad(`${id} ${page}`, (signal) => {
    const params = { path: { id }, query: { page, limit } }
    return dataOf(api.GET('/api/admin/clients/{id}/accounts', { params, signal }))
  })
  const columns: Column<Person>[] = [
    {
      key: 'username',
      label: t.account,
      show: ({ username }) => (
        <a href={accountPath(username)}>
          <UserText>{username}</UserText>
        </a>
      ),
    },
    { key: 'scopes', label: t.scopes, show: ({ scopes }) => scopes.join(' ') },
    {
      key: 'given',
      label: t.given,
      show: ({ given_at }) => (given_at === null ? t.notAsked : <Time at={given_at} />),
    },
  ]
  return (
    <section>
      <h2>{t.title}</h2>
      <Loaded from={people}>
        {({ data, total }) => (
          <>
            <p class="muted">{t.count(total)}</p>
            {total > 0 && (
              <DataTable
                caption={t.caption}
                columns={columns}
                rows={data}
                keyOf={({ user_id }) => String(user_id)}
                empty={null}
              />
            )}
            <Pager page={page} limit={limit} total={total} />
          </>
        )}
      </Loaded>
    </section>
  )
}
