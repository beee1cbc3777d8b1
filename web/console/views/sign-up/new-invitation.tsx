import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { languages } from '../../../../src/core/lib/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Choice, TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { useIdempotencyKey } from '../../idempotency-key.ts'
import { RoleChoice } from '../accounts/role-choice.tsx'
import { invitationsTexts } from './texts.ts'

/** Invites a person by mail. `email` is what the address of the page suggests. */
export function NewInvitation(props: { readonly email: string }) {
  const t = invitationsTexts.use()
  const { route } = useLocation()
  const keyOf = useIdempotencyKey()
  const [email, setEmail] = useState(props.email)
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<readonly string[]>(['USER'])
  const [language, setLanguage] = useState(useLanguage())

  async function invite(): Promise<void> {
    const body = { email, roles: [...roles], language, ...(name !== '' && { name }) }
    const params = { header: { 'Idempotency-Key': keyOf(body) } }
    await dataOf(api.POST('/api/admin/invitations', { params, body }))
    toast(t.sent(email))
    route('/admin/invitations')
  }
  return (
    <>
      <h1>{t.newTitle}</h1>
      <p>{t.hint}</p>
      <ActionForm action={t.submit} cancel="/admin/invitations" onSubmit={invite}>
        {(problemOf) => (
          <>
            <TextField
              name="email"
              label={t.email}
              hint={t.emailHint}
              type="email"
              isRequired
              value={email}
              onChange={setEmail}
              problem={problemOf('email')}
            />
            <TextField
              name="name"
              label={t.name}
              hint={t.nameHint}
              isOptional
              maxLength={100}
              value={name}
              onChange={setName}
              problem={problemOf('name')}
            />
            <RoleChoice legend={t.roles} chosen={roles} onChoose={setRoles} />
            <Choice
              name="language"
              label={t.language}
              value={language}
              options={languages.map((one) => [one, t.languages[one]] as const)}
              onChange={setLanguage}
            />
          </>
        )}
      </ActionForm>
    </>
  )
}
