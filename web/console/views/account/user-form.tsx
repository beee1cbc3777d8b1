import { useState } from 'preact/hooks'
import { useCommon } from '../../../context.ts'
import { toast } from '../../components/toasts.tsx'
import { undoing } from '../../components/undoing.ts'
import { frameTexts } from '../../frame-texts.ts'
import { wordsOf } from '../../problem-words.ts'
import { type ConflictTexts, changeUser } from './change.ts'
import type { Tagged, User } from './read-account.ts'

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
  const common = useCommon()
  const frame = frameTexts.use()
  // The version whose fields were put into the form, whatever is read meanwhile.
  const [user] = useState(shown.user)
  const [name, setName] = useState(user.data.name)
  const [email, setEmail] = useState(user.data.email)
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)

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
    toast(t.saved, { undo: undoing(takeBack, frame) })
  }
  async function submit(): Promise<void> {
    setBusy(true)
    try {
      await save()
    } catch (error) {
      setProblem(wordsOf(error, frame))
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {problem !== '' && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
      <div class="field">
        <label for="user-name">{t.name}</label>
        <input
          id="user-name"
          required
          maxLength={100}
          autocomplete="off"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="user-email">{t.contact}</label>
        <p class="hint" id="user-email-hint">
          {t.contactHint}
        </p>
        <input
          id="user-email"
          type="email"
          required
          autocomplete="off"
          aria-describedby="user-email-hint"
          value={email}
          onInput={({ currentTarget }) => setEmail(currentTarget.value)}
        />
      </div>
      <div class="actions">
        <button type="submit" disabled={isBusy} aria-busy={isBusy}>
          {t.save}
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          {common.cancel}
        </button>
      </div>
    </form>
  )
}
