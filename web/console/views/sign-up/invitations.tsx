import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { languages } from '../../../../src/core/lib/languages.ts'
import { useLanguage } from '../../../context.ts'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { ActionForm } from '../../components/action-form.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Choice, TextField } from '../../components/fields.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Mark } from '../../components/mark.tsx'
import { Pager, pageOf } from '../../components/pager.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useIdempotencyKey } from '../../idempotency-key.ts'
import { useAddress } from '../../use-address.ts'
import { useLoad } from '../../use-load.ts'
import { RoleChoice } from '../accounts/role-choice.tsx'
import { invitationsTexts } from './texts.ts'

type Invitation = components['schemas']['Invitation']

const limit = 50
const tones = { pending: 'warning', accepted: 'good', expired: 'bad', revoked: 'plain' } as const

/** The invitations, or a new one (`?create=yes`). */
export function Invitations() {
  const { fields } = useAddress()
  return fields.create === 'yes' ? <NewInvitation email={fields.email ?? ''} /> : <List />
}

function List() {
  const t = invitationsTexts.use()
  const { fields } = useAddress()
  const page = pageOf(fields)
  const load = useLoad(String(page), (signal) =>
    dataOf(api.GET('/api/admin/invitations', { params: { query: { page, limit } }, signal })),
  )
  async function resend({ id, email }: Invitation): Promise<void> {
    const params = { path: { id } }
    await dataOf(api.POST('/api/admin/invitations/{id}/resend', { params }))
    toast(t.resent(email))
    load.reload()
  }
  async function withdraw({ id, email }: Invitation): Promise<void> {
    const effects = t.withdrawEffects
    const question = { title: t.withdrawTitle(email), effects, action: t.withdraw }
    if (!(await confirmed(question))) return
    await dataOf(api.DELETE('/api/admin/invitations/{id}', { params: { path: { id } } }))
    toast(t.withdrawn(email))
    load.reload()
  }
  const columns: Column<Invitation>[] = [
    { key: 'email', label: t.email, show: ({ email }) => <UserText>{email}</UserText> },
    { key: 'name', label: t.name, show: ({ name }) => name && <UserText>{name}</UserText> },
    { key: 'roles', label: t.roles, show: ({ roles }) => roles.join(', ') },
    {
      key: 'state',
      label: t.state,
      show: ({ state, user_id }) => (
        <>
          <Mark tone={tones[state]}>{t.states[state]}</Mark>{' '}
          {user_id !== null && <a href={`/admin/users/${user_id}`}>{t.toUser(user_id)}</a>}
        </>
      ),
    },
    { key: 'invited', label: t.invited, show: ({ created_at }) => <Time at={created_at} /> },
    { key: 'expires', label: t.expires, show: ({ expires_at }) => <Time at={expires_at} /> },
    {
      key: 'actions',
      label: t.actions,
      show: (invitation) =>
        invitation.state === 'pending' || invitation.state === 'expired' ? (
          <span class="row-actions">
            <ActionButton kind="quiet" isSmall onClick={() => resend(invitation)}>
              {t.resend}
            </ActionButton>
            {invitation.state === 'pending' && (
              <ActionButton kind="danger" isSmall onClick={() => withdraw(invitation)}>
                {t.withdraw}
              </ActionButton>
            )}
          </span>
        ) : (
          invitation.state === 'revoked' && <a href={newPath(invitation.email)}>{t.again}</a>
        ),
    },
  ]
  return (
    <>
      <h1>{t.title}</h1>
      <p>{t.hint}</p>
      <div class="actions">
        <a class="button" href="/admin/invitations?create=yes">
          {t.invite}
        </a>
      </div>
      <Loaded from={load}>
        {({ data, total }) => (
          <>
            <DataTable
              caption={t.caption}
              columns={columns}
              rows={data}
              keyOf={({ id }) => String(id)}
              empty={<Empty />}
            />
            <Pager page={page} limit={limit} total={total} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Empty() {
  const t = invitationsTexts.use()
  return (
    <>
      <p>{t.empty}</p>
      <p class="muted">{t.emptyHint}</p>
    </>
  )
}

function newPath(email: string): string {
  return `/admin/invitations?${new URLSearchParams({ create: 'yes', email })}`
}

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
