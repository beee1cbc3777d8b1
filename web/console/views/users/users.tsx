import { useLocation } from 'preact-iso'
import { api, dataOf } from '../../api/client.ts'
import type { components, operations } from '../../api/openapi.d.ts'
import type { Column } from '../../components/data-table.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { usersTexts } from './texts.ts'
import { UserPage } from './user-page.tsx'

type User = components['schemas']['User']
type Query = NonNullable<operations['listUsersV2']['parameters']['query']>

const limit = 50

/** The users of the service: searched, sorted and paged by the API. */
export function UserList() {
  const t = usersTexts.use()
  const { fields, change } = useAddress()
  const { search = '', sort = 'name', cursor } = fields
  const load = useLoad(new URLSearchParams(fields).toString(), (signal) => {
    const query: Query = {
      limit,
      sort: sort as NonNullable<Query['sort']>, // the API refuses any other
      ...(search !== '' && { q: search }),
      ...(cursor !== undefined && { cursor }),
    }
    return dataOf(api.GET('/api/v2/users', { params: { query }, signal }))
  })
  const columns: Column<User>[] = [
    {
      key: 'name',
      label: t.name,
      isSortable: true,
      show: ({ id, name }) => (
        <a class="cut" href={`/admin/users/${id}`} title={name}>
          <UserText>{name}</UserText>
        </a>
      ),
    },
    {
      key: 'email',
      label: t.email,
      isSortable: true,
      show: ({ email }) => <UserText>{email}</UserText>,
    },
    { key: 'id', label: t.id, isSortable: true, isNumber: true, show: ({ id }) => id },
  ]
  return (
    <>
      <h1>{t.title}</h1>
      <p>{t.hint}</p>
      <search class="filters">
        <SearchField label={t.search} hint={t.searchHint} />
      </search>
      <Loaded from={load}>
        {({ data, next }) => (
          <>
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => String(id)}
              sorted={{ by: sort.replace('-', ''), isDescending: sort.startsWith('-') }}
              onSort={(by, isDescending) =>
                change({ sort: `${isDescending ? '-' : ''}${by}`, cursor: '' })
              }
              empty={<p>{search === '' ? t.none : t.empty}</p>}
            />
            <div class="pager">
              {cursor !== undefined && (
                <button type="button" class="quiet small" onClick={() => change({ cursor: '' })}>
                  {t.first}
                </button>
              )}
              <button
                type="button"
                class="quiet small"
                disabled={!next}
                onClick={() => change({ cursor: next ?? '' })}
              >
                {t.next}
              </button>
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}

const root = '/admin/users'

/** The users, with an account or without; or one of them, whose id ends the address. */
export function Users() {
  const { path } = useLocation()
  const id = Number(path.slice(root.length + 1))
  return id > 0 ? <UserPage key={id} id={id} /> : <UserList />
}
