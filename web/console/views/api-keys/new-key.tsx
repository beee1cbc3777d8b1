import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/fields.tsx'
import { accountTexts } from '../account/texts.ts'
import type { MadeKey } from './key-once.tsx'

interface Props {
  readonly username: string
  readonly onClose: () => void
  readonly onMade: (key: MadeKey) => void
}

/** What a new key of a service account is for, what it opens, and when it ends. */
export function NewKey({ username, onClose, onMade }: Props) {
  const t = accountTexts.use().apiKeys
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState('users:read')
  const [days, setDays] = useState('90')

  async function create(): Promise<void> {
    const body = {
      name,
      scopes: scopes.split(/\s+/).filter((scope) => scope !== ''),
      expires_in_days: Number(days),
    }
    const params = { path: { username } }
    const made = api.POST('/api/admin/accounts/{username}/keys', { params, body })
    onMade(await dataOf(made))
  }
  return (
    <Dialog title={t.create} onClose={onClose}>
      <ActionForm action={t.create} cancel={onClose} onSubmit={create}>
        {(problemOf) => (
          <>
            <TextField
              name="key-name"
              label={t.name}
              isRequired
              maxLength={100}
              value={name}
              onChange={setName}
              problem={problemOf('name')}
            />
            <TextField
              name="scopes"
              label={t.scopes}
              hint={t.scopesHint}
              isRequired
              value={scopes}
              onChange={setScopes}
              problem={problemOf('scopes')}
            />
            <TextField
              name="days"
              label={t.days}
              isRequired
              value={days}
              onChange={setDays}
              problem={problemOf('expires_in_days')}
            />
          </>
        )}
      </ActionForm>
    </Dialog>
  )
}
