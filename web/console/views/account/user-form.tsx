import { useState } from 'preact/hooks'
import type { Tagged } from '../../api/client.ts'
import { ActionForm } from '../../components/action-form.tsx'
import { TextField } from '../../components/fields.tsx'
import { toast } from '../../components/toasts.tsx'
import { type ConflictTexts, changeUser } from './change.ts'
import type { User } from './read-account.ts'

interface Props {
  readonly user: Tagged<User>
  readonly t: ConflictTexts & UserFormTexts
  readonly reload: () => void
  readonly onClose: () => void
}

interface UserFormTexts {
  readonly name: string
  readonly contact: string
  readonly contactHint: string
  readonly save: string
  readonly saved: string
  readonly undone: string
  readonly nothingChanged: string
}

/** Changes name and contact address of a user in the version that was shown. */
export function UserForm({ t, reload, onClose, ...shown }: Props) {
  // The version whose fields were put into the form, whatever is read meanwhile.
  const [user] = useState(shown.user)
  const [name, setName] = useState(user.data.name)
  const [email, setEmail] = useState(user.data.email)

  async function save(): Promise<void> {
    const { name: nameBefore, email: emailBefore } = user.data
    const changes = {
      ...(name !== nameBefore && { name }),
      ...(email !== emailBefore && { email }),
    }
    if (Object.keys(changes).length === 0) return onClose()
    const changed = await changeUser(user, changes, t)
    reload()
    onClose()
    if (!changed) return toast(t.nothingChanged)
    const before = {
      ...(changes.name !== undefined && { name: nameBefore }),
      ...(changes.email !== undefined && { email: emailBefore }),
    }
    const takeBack = async () => {
      if (await changeUser(changed, before, t)) toast(t.undone)
      reload()
    }
    toast(t.saved, { undo: takeBack })
  }
  return (
    <ActionForm action={t.save} cancel={onClose} onSubmit={save}>
      {(problemOf) => (
        <>
          <TextField
            name="user-name"
            label={t.name}
            isRequired
            maxLength={100}
            value={name}
            onChange={setName}
            problem={problemOf('name')}
          />
          <TextField
            name="user-email"
            label={t.contact}
            hint={t.contactHint}
            type="email"
            isRequired
            value={email}
            onChange={setEmail}
            problem={problemOf('email')}
          />
        </>
      )}
    </ActionForm>
  )
}
