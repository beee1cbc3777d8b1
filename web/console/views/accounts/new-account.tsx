import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useCommon } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { RoleChoice } from '../../components/role-choice.tsx'
import { useSubmitted } from '../../components/submitted.ts'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toasts.tsx'
import { useAddress } from '../../use-address.ts'
import { accountPath, accountsPath } from './account-path.ts'
import { accountsTexts } from './texts.ts'

/** Makes an account with a first password, for a new user or for one that exists (`?user_id=7`). */
export function NewAccount() {
  const t = accountsTexts.use()
  const common = useCommon()
  const { route } = useLocation()
  const { user_id } = useAddress().fields
  const [username, setUsername] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [roles, setRoles] = useState<readonly string[]>(['USER'])
  const forUser = Number(user_id ?? 0)
  const user = forUser > 0 ? { user_id: forUser } : { name, email }
  // One for each content: sent again after a lost answer, it makes no second account.
  const key = useRef({ body: '', value: '' })

  const { isBusy, problem, fieldProblem, onSubmit } = useSubmitted(async () => {
    const body = { username, password, roles: [...roles], must_change: true, ...user }
    const written = JSON.stringify(body)
    if (key.current.body !== written) key.current = { body: written, value: crypto.randomUUID() }
    const header = { 'Idempotency-Key': key.current.value }
    const made = await dataOf(api.POST('/api/admin/accounts', { params: { header }, body }))
    toast(t.created(made.username))
    route(accountPath(made.username))
  })
  return (
    <>
      <h1>{t.newTitle}</h1>
      <p>
        {t.newHint} <a href="/admin/invitations?create=yes">{t.invite}</a>
      </p>
      <form class="narrow" onSubmit={onSubmit}>
        {problem !== '' && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <TextField
          label={t.username}
          hint={t.usernameHint}
          value={username}
          onInput={setUsername}
          problem={fieldProblem('username')}
        />
        {forUser > 0 ? (
          <p>
            {t.forUser} <a href={`/admin/users/${forUser}`}>{forUser}</a>
          </p>
        ) : (
          <>
            <TextField
              label={t.name}
              value={name}
              onInput={setName}
              problem={fieldProblem('name')}
              maxLength={100}
            />
            <TextField
              label={t.email}
              type="email"
              value={email}
              onInput={setEmail}
              problem={fieldProblem('email')}
            />
          </>
        )}
        <TextField
          label={t.password}
          hint={t.passwordHint}
          value={password}
          onInput={setPassword}
          problem={fieldProblem('password')}
        />
        <p>{t.roles}</p>
        <RoleChoice legend={t.roles} chosen={roles} onChoose={setRoles} />
        <div class="actions">
          <button type="submit" disabled={isBusy} aria-busy={isBusy}>
            {t.submit}
          </button>
          <a class="button quiet" href={accountsPath}>
            {common.cancel}
          </a>
        </div>
      </form>
    </>
  )
}
