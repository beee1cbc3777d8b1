import { useState } from 'preact/hooks'
import { useLanguage } from '../../../context.ts'
import { hasArea, rootPath } from '../../areas.ts'
import { Mark } from '../../components/mark.tsx'
import { keep, kept } from '../../kept.ts'
import { useLoad } from '../../use-load.ts'
import { type FirstStep, readSteps } from './first-steps.ts'
import { steps } from './parts.ts'
import type { Status } from './read.ts'
import { overviewTexts } from './texts.ts'

const hiddenKey = 'gatehouse-first-steps'

/** The first steps of an installation, which tick themselves off; hidden once all are done. */
export function Checklist({ status }: { readonly status: Status | null }) {
  const t = overviewTexts.use()
  const words = t.checklist
  const [isHidden, setHidden] = useState(() => kept(hiddenKey) === 'hidden')
  // What the status says of the steps decides what else is asked.
  const key = status && !isHidden ? JSON.stringify(steps.map((step) => step.inStatus(status))) : ''
  const done = useLoad(key, async (signal) =>
    status && !isHidden ? readSteps(steps, status, signal) : null,
  )
  if (isHidden) {
    const show = () => {
      keep(hiddenKey, null)
      setHidden(false)
    }
    return (
      <p>
        <button type="button" class="link" onClick={show}>
          {words.show}
        </button>
      </p>
    )
  }
  if (!done.data) return null
  const states = done.data
  const count = steps.filter(({ id }) => states[id] === true).length
  if (count === steps.length) return null
  const hide = () => {
    keep(hiddenKey, 'hidden')
    setHidden(true)
  }
  return (
    <section class="tile checklist" aria-labelledby="first-steps">
      <div class="heading">
        <h2 id="first-steps">{words.title}</h2>
        <span class="muted">{words.done(count, steps.length)}</span>
      </div>
      <ol>
        {steps.map((step) => (
          <Item key={step.id} step={step} state={states[step.id] ?? null} />
        ))}
      </ol>
      <button type="button" class="link" onClick={hide}>
        {words.hide}
      </button>
    </section>
  )
}

function Item({ step, state }: { readonly step: FirstStep; readonly state: boolean | null }) {
  const { checklist: words } = overviewTexts.use()
  const [name, hint] = step.words[useLanguage()]
  const isLinked = state !== true && (hasArea(step.href) || !step.href.startsWith(rootPath))
  const tone = state === true ? 'good' : state === false ? 'warning' : 'plain'
  return (
    <li>
      <Mark tone={tone}>
        {state === true ? words.isDone : state === false ? words.isOpen : words.unknown}
      </Mark>
      <div>
        {isLinked ? <a href={step.href}>{name}</a> : name}
        {state !== true && <p class="hint">{hint}</p>}
      </div>
    </li>
  )
}
