import { webhooksTexts } from './texts.ts'

const maxShown = 3

/** The events that a webhook has chosen, in words where there are some. */
export function EventNames({
  events,
  isComplete = false,
}: {
  readonly events: readonly string[]
  readonly isComplete?: boolean
}) {
  const t = webhooksTexts.use()
  const shown = isComplete ? events : events.slice(0, maxShown)
  const more = events.length - shown.length
  return (
    <>
      {shown.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <EventName name={name} />
        </span>
      ))}
      {more > 0 && <span class="muted"> +{more}</span>}
    </>
  )

  function EventName({ name }: { readonly name: string }) {
    if (name === '*') return <>{t.allEvents}</>
    return <code>{name}</code>
  }
}
