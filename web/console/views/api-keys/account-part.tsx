import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { ActionButton } from '../../components/action-button.tsx'
import { confirmed } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { UserText } from '../../components/user-text.tsx'
import { useLoad } from '../../use-load.ts'
import type { SectionProps } from '../account/parts.ts'
import { Section } from '../account/section.tsx'
import { accountTexts } from '../account/texts.ts'
import { KeyOnce, type MadeKey } from './key-once.tsx'
import { NewKey } from './new-key.tsx'

type Key = components['schemas']['ApiKey']

const path = '/api/admin/accounts/{username}/keys'

/** The keys of a service account, or the app passwords of a person. */
export function AccountSection({ shown }: SectionProps) {
  const t = accountTexts.use().apiKeys
  const { username } = shown.account.data
  const { service } = shown.details
  const [turn, setTurn] = useState(0)
  const [made, setMade] = useState<MadeKey | null>(null)
  const [isNew, setNew] = useState(false)
  const params = { path: { username } }
  const keys = useLoad(`${username} ${turn}`, (signal) => dataOf(api.GET(path, { params, signal })))
  const reload = () => setTurn(turn + 1)

  async function rotate({ id, name }: Key): Promise<void> {
    const question = { title: t.rotateTitle(name), effects: t.rotateEffects, action: t.rotate }
    if (!(await confirmed(question))) return
    const ofKey = { path: { username, id } }
    setMade(
      await dataOf(
        api.POST(`${path}/{id}/rotate`, {
          params: ofKey,
          body: {
            overlap_seconds: 86_400,
          },
        }),
      ),
    )
    reload()
  }

  async function revoke({ id, name }: Key): Promise<void> {
    const question = { title: t.revokeTitle(name), effects: t.revokeEffects, action: t.revoke }
    if (!(await confirmed({ ...question, isDangerous: true }))) return
    await dataOf(api.DELETE(`${path}/{id}`, { params: { path: { username, id } } }))
    toast(t.revoked)
    reload()
  }

  const columns: Column<Key>[] = [
    { key: 'name', label: t.name, show: ({ name }) => <UserText>{name}</UserText> },
    { key: 'scopes', label: t.scopes, show: ({ scopes }) => scopes.join(' ') },
    { key: 'ends', label: t.ends, show: ({ expires_at }) => <Time at={expires_at} /> },
    {
      key: 'used',
      label: t.lastUsed,
      show: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : t.never),
    },
    {
      key: 'change',
      label: t.change,
      show: (key) => (
        <>
          {service && (
            <ActionButton kind="quiet" isSmall onClick={() => rotate(key)}>
              {t.rotate}
            </ActionButton>
          )}{' '}
          <ActionButton kind="quiet" isSmall onClick={() => revoke(key)}>
            {t.revoke}
          </ActionButton>
        </>
      ),
    },
  ]
  return (
    <Section
      title={t.title(service)}
      aside={
        service && (
          <button type="button" class="quiet small" onClick={() => setNew(true)}>
            {t.create}
          </button>
        )
      }
    >
      <Loaded from={keys}>
        {(rows) => (
          <DataTable
            caption={t.caption}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={<p>{t.none}</p>}
          />
        )}
      </Loaded>
      {isNew && (
        <NewKey
          username={username}
          onClose={() => setNew(false)}
          onMade={(key) => {
            setNew(false)
            setMade(key)
            reload()
          }}
        />
      )}
      {made && <KeyOnce made={made} onClose={() => setMade(null)} />}
    </Section>
  )
}
