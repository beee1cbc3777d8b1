import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { frameTexts } from '../frame-texts.ts'
import { Dialog } from './dialog.tsx'

/** What an action will do, before it is done. */
export interface Confirmation {
  readonly title: string
  /** What it will do, one sentence each: "Ends 3 sessions and 2 tokens." */
  readonly effects: readonly string[]
  /** The text of the button that does it. */
  readonly action: string
  readonly isDangerous?: boolean
  /** What must be typed first, where it cannot be undone. */
  readonly typed?: string
}

interface Question extends Confirmation {
  answer(isConfirmed: boolean): void
}

const question = signal<Question | null>(null)

/** Asks whether an action shall be done. `if (await confirmed({ title, effects, action })) ...` */
export function confirmed(confirmation: Confirmation): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      ...confirmation,
      answer(isConfirmed) {
        question.value = null
        resolve(isConfirmed)
      },
    }
  })
}

export function ConfirmDialog() {
  return question.value && <Asked key={question.value.title} asked={question.value} />
}

function Asked({ asked }: { readonly asked: Question }) {
  const t = frameTexts.use()
  const [text, setText] = useState('')
  const { title, effects, action, isDangerous = false, typed } = asked
  return (
    <Dialog title={title} onClose={() => asked.answer(false)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === undefined || text === typed) asked.answer(true)
        }}
      >
        <ul>
          {effects.map((effect) => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        {typed !== undefined && (
          <label>
            {t.typeToConfirm(typed)}
            <input
              autocomplete="off"
              spellcheck={false}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          </label>
        )}
        <div class="actions">
          <button
            type="submit"
            class={isDangerous ? 'danger' : undefined}
            disabled={typed !== undefined && text !== typed}
          >
            {action}
          </button>
          <button type="button" class="quiet" onClick={() => asked.answer(false)}>
            {t.common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
