import { Copyable } from '../../components/copyable.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { whyTexts } from './texts.ts'

interface Props {
  readonly username: string
  readonly password: string
  readonly close: () => void
}

/** A password that is shown once, until it was passed on. */
export function OneTimePassword({ username, password, close }: Props) {
  const t = whyTexts.use()
  return (
    <Dialog title={t.oneTime.title} onClose={close}>
      <p>{t.oneTime.text(username)}</p>
      <Copyable text={password} about={t.oneTime.title} isBlock />
      <div class="actions">
        <button type="button" onClick={close}>
          {t.oneTime.close}
        </button>
      </div>
    </Dialog>
  )
}
