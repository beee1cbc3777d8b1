import { signal } from '@preact/signals'
import { frameTexts } from '../frame-texts.ts'
import { Dialog } from './dialog.tsx'

/** One field that two people have changed, as each of them wants it. */
export interface Difference {
  readonly label: string
  /** As it is now, by the other person. */
  readonly theirs: string
  readonly own: string
}

interface Question {
  readonly differences: readonly Difference[]
  answer(wantsOwn: boolean): void
}

const question = signal<Question | null>(null)

/**
 * Shows both versions of what was changed by another person meanwhile (412). True: the own change is
 * made after all; false: the other version stays.
 */
export function wantsOwn(differences: readonly Difference[]): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      differences,
      answer(isWanted) {
        question.value = null
        resolve(isWanted)
      },
    }
  })
}

export function ConflictDialog() {
  return question.value && <Asked asked={question.value} />
}

function Asked({ asked }: { readonly asked: Question }) {
  const t = frameTexts.use().conflict
  const keep = () => asked.answer(false)
  return (
    <Dialog title={t.title} onClose={keep}>
      <p>{t.text}</p>
      <table class="data">
        <caption class="said">{t.title}</caption>
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.theirs}</th>
            <th scope="col">{t.own}</th>
          </tr>
        </thead>
        <tbody>
          {asked.differences.map(({ label, theirs, own }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td data-label={t.theirs}>
                <bdi>{theirs}</bdi>
              </td>
              <td data-label={t.own}>
                <bdi>{own}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="actions">
        <button type="button" class="quiet" onClick={keep}>
          {t.keep}
        </button>
        <button type="button" onClick={() => asked.answer(true)}>
          {t.overwrite}
        </button>
      </div>
    </Dialog>
  )
}
