import type { ComponentChildren } from 'preact'

/** What a state means to the reader: `bad` wants something done, `warning` may want it later. */
export type Tone = 'good' | 'plain' | 'warning' | 'bad'

/** A state in a word; its text says all, the colour says it again. */
export function Mark({
  tone = 'plain',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) {
  return <span class={`mark ${tone}`}>{children}</span>
}
