import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import { LoginDeclined } from '../session/ask-for-login.ts'
import { toast } from './toasts.tsx'

interface Props {
  readonly kind?: 'main' | 'quiet' | 'danger'
  readonly isSmall?: boolean
  readonly disabled?: boolean
  /** Does the action; what it throws is said below the view. */
  readonly onClick: () => Promise<void>
  readonly children: ComponentChildren
}

/** A button that shows at once that its action is under way, and takes no second click meanwhile. */
export function ActionButton({
  kind = 'main',
  isSmall,
  disabled = false,
  onClick,
  children,
}: Props) {
  const t = frameTexts.use()
  const [isBusy, setBusy] = useState(false)
  async function act(): Promise<void> {
    setBusy(true)
    try {
      await onClick()
    } catch (error) {
      if (!(error instanceof LoginDeclined)) toast(wordsOf(error, t), { kind: 'bad' })
    } finally {
      setBusy(false)
    }
  }
  const classes = [kind !== 'main' && kind, isSmall && 'small', isBusy && 'busy'].filter(Boolean)
  return (
    <button
      type="button"
      class={classes.join(' ')}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      onClick={act}
    >
      {children}
    </button>
  )
}
