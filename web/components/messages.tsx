import type { ComponentChildren } from 'preact'
import { useCommon } from '../context.ts'

interface ProblemProps {
  /** What went wrong as a whole. */
  readonly children?: ComponentChildren
  /** The fields that are wrong, each with its text, in the order of the form. */
  readonly fields?: readonly { readonly name: string; readonly text: string }[]
  /** Whether a field of the form has the focus in its place. */
  readonly isFieldFocused?: boolean
}

/**
 * What went wrong, above a form. A screen reader says it at once, and it has the focus, unless the
 * first field that is wrong has it (`hasFocus`): say so, or name the `fields`.
 */
export function Problem({
  children,
  fields = [],
  isFieldFocused = fields.length > 0,
}: ProblemProps) {
  const t = useCommon()
  return (
    <div
      class="notice bad"
      id="problem"
      role="alert"
      tabIndex={-1}
      {...(!isFieldFocused && { autofocus: true })}
    >
      {children ?? <p>{t.problemTitle}</p>}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ name, text }) => (
            <li key={name}>
              <a href={`#${name}`}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What has happened, or what is good to know. */
export function Notice({
  kind = 'good',
  children,
}: {
  readonly kind?: 'good' | 'plain' | 'warning'
  readonly children: ComponentChildren
}) {
  return (
    <div class={`notice ${kind}`} {...(kind === 'good' && { role: 'status' })}>
      {children}
    </div>
  )
}
