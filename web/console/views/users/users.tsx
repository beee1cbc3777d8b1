import { useLocation } from 'preact-iso'
import { UserList } from './user-list.tsx'
import { UserPage } from './user-page.tsx'

const root = '/admin/users'

/** The users, with an account or without; or one of them, whose id ends the address. */
export function Users() {
  const { path } = useLocation()
  const id = Number(path.slice(root.length + 1))
  return id > 0 ? <UserPage key={id} id={id} /> : <UserList />
}
