import { useState } from 'preact/hooks'
import { useLanguage } from '../../../context.ts'
import { hasArea, rootPath } from '../../areas.ts'
import { Mark, type Tone } from '../../components/mark.tsx'
import { keep, kept } from '../../kept.ts'
import type { FirstStep } from './first-steps.ts'
import type { StepState } from './step-states.ts'
import { overviewTexts } from './texts.ts'
import type { Steps } from './use-steps.ts'

const hiddenKey = 'gatehouse-first-steps'

/** The first steps of an installation, which tick themselves off; hidden once none is open. */
export function Checklist({ steps }: { readonly steps: Steps }) {
  const words = overviewTexts.use().checklist
  const [isHidden, setHidden] = useState(() => kept(hiddenKey) === 'hidden')
  const setKept = (hidden: boolean) => {
    keep(hiddenKey, hidden ? 'hidden' : null)
    setHidden(hidden)
  }
  const { states } = steps
  if (!isHidden && !states) return null
  const done = states?.filter(({ state }) => state === 'done').length ?? 0
  if (states && done === states.length) return null
  if (isHidden || !states) {
    return (
      <p>
        <button type="button" class="link" onClick={() => setKept(false)}>
          {words.show}
        </button>
      </p>
    )
  }
  return (
    <section class="tile checklist" aria-labelledby="first-steps">
      <div class="heading">
        <h2 id="first-steps">{words.title}</h2>
        <span class="muted">{words.done(done, states.length)}</span>
      </div>
      <ol>
        {states.map(({ step, state }) => (
          <Item key={step.id} {...{ step, state, steps }} />
        ))}
      </ol>
      <button type="button" class="link" onClick={() => setKept(true)}>
        {words.hide}
      </button>
    </section>
  )
}

const tones: Readonly<Record<StepState, Tone>> = {
  done: 'good',
  open: 'warning',
  dismissed: 'plain',
  unknown: 'plain',
}

interface ItemProps {
  readonly step: FirstStep
  readonly state: StepState
  readonly steps: Steps
}

function Item({ step, state, steps }: ItemProps) {
  const { checklist: words } = overviewTexts.use()
  const [name, hint] = step.words[useLanguage()]
  const marks = {
    ...{ done: words.isDone, open: words.isOpen },
    ...{ dismissed: words.isDismissed, unknown: words.unknown },
  }
  const isDismissed = state === 'dismissed'
  const label = isDismissed ? words.restore : words.dismiss
  const change = () => (isDismissed ? steps.restore : steps.dismiss)(step.id)
  const isLinked = state !== 'done' && (hasArea(step.href) || !step.href.startsWith(rootPath))
  return (
    <li>
      <Mark tone={tones[state]}>{marks[state]}</Mark>
      <div>
        {isLinked ? <a href={step.href}>{name}</a> : name}
        {state !== 'done' && !isDismissed && <p class="hint">{hint}</p>}
        {state !== 'done' && (
          <p>
            <button type="button" class="link" aria-label={`${label}: ${name}`} onClick={change}>
              {label}
            </button>
          </p>
        )}
      </div>
    </li>
  )
}
