import { useLocation } from 'preact-iso'
import { ClientList } from './client-list.tsx'
import { ClientPage } from './client-page.tsx'
import { NewClient } from './new-client.tsx'
import { clientsPath } from './paths.ts'

/** The views below /admin/clients. Each has a key, so that no data of another stands in it. */
export function Clients() {
  const { path } = useLocation()
  const [first = '', id = ''] = path.slice(clientsPath.length + 1).split('/')
  if (first === 'new') return <NewClient />
  if (first === 'client') return <ClientPage key={id} id={decodeURIComponent(id)} />
  return <ClientList />
}
