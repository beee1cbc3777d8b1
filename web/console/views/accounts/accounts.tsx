import { useLocation } from 'preact-iso'
import { accountsPath } from '../../account-path.ts'
import { AccountPage } from '../account/account-page.tsx'
import { AccountList } from './account-list.tsx'
import { NewAccount } from './new-account.tsx'

/** The list, a new account (`?create=yes`), or one account, whose username ends the address. */
export function Accounts() {
  const { path, query } = useLocation()
  const username = decoded(path.slice(accountsPath.length + 1))
  if (username !== '') return <AccountPage key={username} username={username} />
  return query.create === 'yes' ? <NewAccount /> : <AccountList />
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // no address of ours; the page says that there is no such account
  }
}
