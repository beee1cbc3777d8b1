import { Mark, type Tone } from '../../components/mark.tsx'
import type { Standing } from './standing.ts'
import { accountTexts } from './texts.ts'

const tones: Readonly<Record<Standing, Tone>> = {
  active: 'good',
  locked: 'bad',
  locked_out: 'bad',
  disabled: 'bad',
  deletion_pending: 'bad',
  must_change: 'warning',
}

/** The states of an account, each with its word: no colour stands alone. */
export function StandingMarks({ states }: { readonly states: readonly Standing[] }) {
  const t = accountTexts.use()
  return (
    <span class="marks">
      {states.map((state) => (
        <Mark key={state} tone={tones[state]}>
          {t.states[state]}
        </Mark>
      ))}
    </span>
  )
}
