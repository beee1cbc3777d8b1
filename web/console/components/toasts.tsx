import { signal } from '@preact/signals'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import { LoginDeclined } from '../session/ask-for-login.ts'

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'good' | 'bad'
  /** Takes back what was done. */
  readonly undo?: () => Promise<void> | void
}

const toasts = signal<readonly Toast[]>([])
const shownMs = 10_000
let lastId = 0

/** Says what an action has done, below the view, for ten seconds; a problem stays until it is closed. */
export function toast(text: string, options: Partial<Pick<Toast, 'kind' | 'undo'>> = {}): void {
  lastId += 1
  const one: Toast = { id: lastId, text, kind: 'good', ...options }
  toasts.value = [...toasts.value, one]
  if (one.kind === 'good') setTimeout(() => close(one.id), shownMs)
}

function close(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}

export function Toasts() {
  const t = frameTexts.use()

  async function takeBack(undo: () => Promise<void> | void): Promise<void> {
    try {
      await undo()
    } catch (error) {
      if (!(error instanceof LoginDeclined)) toast(wordsOf(error, t), { kind: 'bad' })
    }
  }

  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind, undo }) => (
        <div key={id} class={`toast ${kind}`}>
          <p>{text}</p>
          {undo && (
            <button
              type="button"
              class="quiet small"
              onClick={() => {
                close(id)
                void takeBack(undo)
              }}
            >
              {t.undo}
            </button>
          )}
          <button type="button" class="quiet small" aria-label={t.close} onClick={() => close(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  )
}
