import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { accountPath, accountsPath, invitationPath } from '../../account-path.ts'
import { api, dataOf } from '../../api/client.ts'
import { hasArea } from '../../areas.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { CheckField, TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { useIdempotencyKey } from '../../idempotency-key.ts'
import { useAddress } from '../../use-address.ts'
import { RoleChoice } from './role-choice.tsx'
import { accountsTexts } from './texts.ts'

/** Makes an account of a program, or one with a first password, for a new user or for one that exists (`?user_id=7`). */
export function NewAccount() {
  const t = accountsTexts.use()
  const { route } = useLocation()
  const { user_id } = useAddress().fields
  const keyOf = useIdempotencyKey()
  const [username, setUsername] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isService, setService] = useState(false)
  const [roles, setRoles] = useState<readonly string[]>(['USER'])
  const forUser = Number(user_id ?? 0)

  async function create(): Promise<void> {
    const user = forUser > 0 ? { user_id: forUser } : { name, email }
    const kind = isService ? { service: true, name } : { password, must_change: true, ...user }
    const body = { username, roles: [...roles], ...kind }
    const params = { header: { 'Idempotency-Key': keyOf(body) } }
    const made = await dataOf(api.POST('/api/admin/accounts', { params, body }))
    toast(t.created(made.username))
    route(accountPath(made.username))
  }
  return (
    <>
      <h1>{t.newTitle}</h1>
      {hasArea(invitationPath) && (
        <p>
          {t.newHint} <a href={invitationPath}>{t.invite}</a>
        </p>
      )}
      <ActionForm action={t.submit} cancel={accountsPath} onSubmit={create}>
        {(problemOf) => (
          <>
            <TextField
              name="username"
              label={t.username}
              hint={t.usernameHint}
              isRequired
              value={username}
              onChange={setUsername}
              problem={problemOf('username')}
            />
            {forUser === 0 && (
              <CheckField
                label={t.service}
                hint={t.serviceHint}
                isChecked={isService}
                onChange={setService}
              />
            )}
            {forUser > 0 ? (
              <p>
                {t.forUser} <a href={`/admin/users/${forUser}`}>{forUser}</a>
              </p>
            ) : (
              <>
                <TextField
                  name="name"
                  label={t.name}
                  isRequired
                  maxLength={100}
                  value={name}
                  onChange={setName}
                  problem={problemOf('name')}
                />
                {!isService && (
                  <TextField
                    name="email"
                    label={t.email}
                    type="email"
                    isRequired
                    value={email}
                    onChange={setEmail}
                    problem={problemOf('email')}
                  />
                )}
              </>
            )}
            {!isService && (
              <TextField
                name="password"
                label={t.password}
                hint={t.passwordHint}
                isRequired
                value={password}
                onChange={setPassword}
                problem={problemOf('password')}
              />
            )}
            <RoleChoice legend={t.roles} chosen={roles} onChoose={setRoles} />
          </>
        )}
      </ActionForm>
    </>
  )
}
