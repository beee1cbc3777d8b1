import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  readonly title: string
  /** Buttons and links beside the title. */
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of the page of an account. */
export function Section({ title, aside, children }: Props) {
  const id = useId()
  return (
    <section class="tile" aria-labelledby={id}>
      <div class="heading">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
