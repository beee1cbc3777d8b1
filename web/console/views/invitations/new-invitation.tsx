import { useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { isLanguage, languages } from '../../../../src/config/languages.ts'
import { useCommon, useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { RoleChoice } from '../../components/role-choice.tsx'
import { useSubmitted } from '../../components/submitted.ts'
import { TextField } from '../../components/text-field.tsx'
import { toast } from '../../components/toasts.tsx'
import { invitationsTexts } from './texts.ts'

/** Invites a person by mail. `email` is what the address of the page suggests. */
export function NewInvitation(props: { readonly email: string }) {
  const t = invitationsTexts.use()
  const common = useCommon()
  const { route } = useLocation()
  const [email, setEmail] = useState(props.email)
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<readonly string[]>(['USER'])
  const [language, setLanguage] = useState(useLanguage())
  const key = useRef({ body: '', value: '' })

  const { isBusy, problem, fieldProblem, onSubmit } = useSubmitted(async () => {
    const body = { email, roles: [...roles], language, ...(name !== '' && { name }) }
    const written = JSON.stringify(body)
    if (key.current.body !== written) key.current = { body: written, value: crypto.randomUUID() }
    const header = { 'Idempotency-Key': key.current.value }
    await dataOf(api.POST('/api/admin/invitations', { params: { header }, body }))
    toast(t.sent(email))
    route('/admin/invitations')
  })
  return (
    <>
      <h1>{t.newTitle}</h1>
      <p>{t.hint}</p>
      <form class="narrow" onSubmit={onSubmit}>
        {problem !== '' && (
          <p class="notice bad" role="alert">
            {problem}
          </p>
        )}
        <TextField
          label={t.email}
          hint={t.emailHint}
          type="email"
          value={email}
          onInput={setEmail}
          problem={fieldProblem('email')}
        />
        <TextField
          label={t.name}
          hint={t.nameHint}
          isOptional
          value={name}
          onInput={setName}
          problem={fieldProblem('name')}
          maxLength={100}
        />
        <p>{t.roles}</p>
        <RoleChoice legend={t.roles} chosen={roles} onChoose={setRoles} />
        <label>
          {t.language}
          <select
            value={language}
            onChange={({ currentTarget: { value } }) => isLanguage(value) && setLanguage(value)}
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {t.languages[one]}
              </option>
            ))}
          </select>
        </label>
        <div class="actions">
          <button type="submit" disabled={isBusy} aria-busy={isBusy}>
            {t.submit}
          </button>
          <a class="button quiet" href="/admin/invitations">
            {common.cancel}
          </a>
        </div>
      </form>
    </>
  )
}
