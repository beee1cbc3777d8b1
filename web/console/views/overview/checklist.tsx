import { useState } from 'preact/hooks'
import { Mark } from '../../components/mark.tsx'
import { keep, kept } from '../../kept.ts'
import { useLoad } from '../../use-load.ts'
import { readSteps, type Step, steps } from './first-steps.ts'
import type { Status } from './read.ts'
import { overviewTexts } from './texts.ts'

const hiddenKey = 'gatehouse-first-steps'

/** The first steps of an installation, which tick themselves off; hidden once all are done. */
export function Checklist({ status }: { readonly status: Status | null }) {
  const t = overviewTexts.use()
  const words = t.checklist
  const [isHidden, setHidden] = useState(() => kept(hiddenKey) === 'hidden')
  // What the status says of mail and backups decides what else is asked.
  const hasBackup = status?.backups?.last_at != null
  const key = status && !isHidden ? `${hasBackup}` : ''
  const done = useLoad(key, async (signal) =>
    status && !isHidden ? readSteps(status, signal) : null,
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
          <Item key={step.id} step={step} state={states[step.id]} />
        ))}
      </ol>
      <button type="button" class="link" onClick={hide}>
        {words.hide}
      </button>
    </section>
  )
}

function Item({ step, state }: { readonly step: Step; readonly state: boolean | null }) {
  const { checklist: words } = overviewTexts.use()
  const [name, hint] = words[step.id]
  const tone = state === true ? 'good' : state === false ? 'warning' : 'plain'
  return (
    <li>
      <Mark tone={tone}>
        {state === true ? words.isDone : state === false ? words.isOpen : words.unknown}
      </Mark>
      <div>
        {state === true ? name : <a href={step.href}>{name}</a>}
        {state !== true && <p class="hint">{hint}</p>}
      </div>
    </li>
  )
}
