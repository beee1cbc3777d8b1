import { useState } from 'preact/hooks'
import { useCommon } from '../../../context.ts'
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
  const common = useCommon()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(password)
    setCopied(true)
  }
  return (
    <Dialog title={t.oneTime.title} onClose={close}>
      <p>{t.oneTime.text(username)}</p>
      <code class="secret">{password}</code>
      <div class="actions">
        <button type="button" onClick={close}>
          {t.oneTime.close}
        </button>
        {window.isSecureContext && (
          <button type="button" class="quiet" onClick={() => void copy()}>
            {isCopied ? common.copied : common.copy}
          </button>
        )}
      </div>
    </Dialog>
  )
}
