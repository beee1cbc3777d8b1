import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { DefinitionList } from '../../../components/data.tsx'
import { ApiProblem, api, dataOf, type Tagged } from '../../api/client.ts'
import { AccountLink } from '../../components/account-link.tsx'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useLoad } from '../../use-load.ts'
import { readUser, type User } from '../account/read-account.ts'
import { UserForm } from '../account/user-form.tsx'
import { usersTexts } from './texts.ts'

interface ShownUser {
  readonly user: Tagged<User>
  /** The username of its account; null if there is none. */
  readonly username: string | null
}

/** One user: its name and address, and its account if it has one. */
export function UserPage({ id }: { readonly id: number }) {
  const t = usersTexts.use()
  const load = useLoad('', (signal) => readShown(id, signal))
  const isGone = load.problem instanceof ApiProblem && load.problem.status === 404
  return (
    <>
      <p class="back">
        <a href="/admin/users">{t.toList}</a>
      </p>
      <h1>{t.user(id)}</h1>
      {isGone ? (
        <div class="empty">
          <p>{t.gone}</p>
        </div>
      ) : (
        <Loaded from={load}>
          {(shown) => <Shown key={shown.user.etag} {...shown} reload={load.reload} />}
        </Loaded>
      )}
    </>
  )
}

function Shown({ user, username, reload }: ShownUser & { readonly reload: () => void }) {
  const t = usersTexts.use()
  const { route } = useLocation()
  const [isEdited, setEdited] = useState(false)
  const { id, name, email } = user.data

  async function remove(): Promise<void> {
    const effects = username === null ? t.removeEffects : [t.removesAccount, ...t.removeEffects]
    const question = { title: t.removeTitle(name), effects, action: t.remove }
    if (!(await confirmed({ ...question, isDangerous: true, typed: String(id) }))) return
    const header = { 'If-Match': user.etag }
    try {
      await dataOf(api.DELETE('/users/{id}', { params: { path: { id }, header } }))
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.status === 412) reload()
      throw problem
    }
    toast(t.removed(name))
    route('/admin/users')
  }
  if (isEdited) {
    return <UserForm user={user} t={t} reload={reload} onClose={() => setEdited(false)} />
  }
  return (
    <>
      <DefinitionList
        rows={[
          [t.name, <UserText key="name">{name}</UserText>],
          [t.email, <UserText key="email">{email}</UserText>],
          [t.account, username === null ? t.noAccount : <AccountLink key="a" name={username} />],
        ]}
      />
      <div class="actions">
        {username === null && (
          <a class="button" href={`/admin/accounts?create=yes&user_id=${id}`}>
            {t.giveAccount}
          </a>
        )}
        <button type="button" class="quiet" onClick={() => setEdited(true)}>
          {t.edit}
        </button>
        <ActionButton kind="danger" onClick={remove}>
          {t.remove}
        </ActionButton>
      </div>
    </>
  )
}

/** Reads a user, and finds its account by its address among those that have it. */
async function readShown(id: number, signal: AbortSignal): Promise<ShownUser> {
  const user = await readUser(id, signal)
  const query = { search: user.data.email.slice(0, 200), limit: 1000 }
  const found = await dataOf(api.GET('/api/admin/accounts', { params: { query }, signal }))
  const account = found.data.find(({ user_id }) => user_id === id)
  return { user, username: account?.username ?? null }
}
