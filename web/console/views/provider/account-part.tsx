import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useLoad } from '../../use-load.ts'
import type { SectionProps } from '../account/parts.ts'
import { Section } from '../account/section.tsx'
import { accountTexts } from '../account/texts.ts'

type Access = components['schemas']['ApplicationAccesses'][number]

const path = '/api/admin/accounts/{username}/applications'

/** The applications that have access to the account; nothing where none has. */
export function AccountSection({ shown }: SectionProps) {
  const t = accountTexts.use().applications
  const { username } = shown.account.data
  const params = { path: { username } }
  const accesses = useLoad(username, (signal) => dataOf(api.GET(path, { params, signal })))

  async function withdraw({ client, name }: Access): Promise<void> {
    const question = { title: t.withdrawTitle(name), effects: t.effects, action: t.withdraw }
    if (!(await confirmed({ ...question, isDangerous: true }))) return
    const ofClient = { path: { username, client } }
    await dataOf(api.DELETE(`${path}/{client}`, { params: ofClient }))
    toast(t.withdrawn(name))
    accesses.reload()
  }

  const columns: Column<Access>[] = [
    { key: 'name', label: t.name, show: ({ name }) => <UserText>{name}</UserText> },
    {
      key: 'scopes',
      label: t.scopes,
      show: ({ offline, scopes }) => (
        <>
          {scopes.join(' ')} {offline && <span class="muted">{t.offline}</span>}
        </>
      ),
    },
    {
      key: 'given',
      label: t.given,
      show: ({ given_at }) => (given_at === null ? t.notAsked : <Time at={given_at} />),
    },
    {
      key: 'change',
      label: t.change,
      show: (access) => (
        <ActionButton kind="quiet" isSmall onClick={() => withdraw(access)}>
          {t.withdraw}
        </ActionButton>
      ),
    },
  ]
  if (accesses.data === null || accesses.data.length === 0) return null
  return (
    <Section title={t.title}>
      <DataTable
        caption={t.caption}
        columns={columns}
        rows={accesses.data}
        keyOf={({ client }) => client}
        empty={null}
      />
    </Section>
  )
}
