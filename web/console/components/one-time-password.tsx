import { frameTexts } from '../frame-texts.ts'
import { Copyable } from './copyable.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly username: string
  readonly password: string
  readonly onClose: () => void
}

/** A password that works once, shown once, until it was passed on. */
export function OneTimePassword({ username, password, onClose }: Props) {
  const t = frameTexts.use().oneTime
  const title = t.title(username)
  return (
    <Dialog title={title} onClose={onClose}>
      <Copyable text={password} about={title} isBlock />
      <p>{t.hint}</p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          {t.done}
        </button>
      </div>
    </Dialog>
  )
}
