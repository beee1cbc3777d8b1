import type { ComponentChildren } from 'preact'
import { useCommon } from '../context.ts'

/** What all fields of a form have. */
export interface FieldProps {
  /** By which the form sends it, and its id, to which `Problem` links. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** What is wrong with what was sent. */
  readonly problem?: string | null | undefined
  /** Whether `Problem` says what is wrong with it, and perhaps with others. */
  readonly isWrong?: boolean
  /** Whether it has the focus when the page is opened: the first field, or the first wrong one. */
  readonly hasFocus?: boolean
  readonly isOptional?: boolean
}

interface InputProps extends FieldProps {
  readonly type?: keyof typeof types
  /** The token of the HTML standard, by which a password manager knows the field. */
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly inputMode?: 'numeric' | 'email' | 'text'
  /** Whether capitals begin by themselves on a phone: names of people. */
  readonly isProse?: boolean
  readonly isReadOnly?: boolean
}

// Spread, because the types of JSX want one that is known.
const types = { text: { type: 'text' }, email: { type: 'email' } } as const

/** A labelled input of one line. */
export function Field({ type = 'text', autocomplete, inputMode, isProse, ...props }: InputProps) {
  const { name, value, isReadOnly, hasFocus } = props
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        {...types[type]}
        autocomplete={autocomplete}
        {...(value !== undefined && { value })}
        {...(inputMode && { inputMode })}
        {...(!isProse && { autocapitalize: 'none', autocorrect: 'off', spellcheck: false })}
        {...(isReadOnly && { readOnly: true })}
        {...(hasFocus && { autofocus: true })}
        {...marks(props)}
      />
    </Labelled>
  )
}

/** The frame of a field: label, hint, problem. */
export function Labelled({
  name,
  label,
  hint,
  problem,
  isOptional,
  isWrong,
  children,
}: FieldProps & { readonly children: ComponentChildren }) {
  const t = useCommon()
  return (
    <div class={problem || isWrong ? 'field wrong' : 'field'}>
      <label for={name}>
        {label}
        {isOptional && <span class="muted"> ({t.optional})</span>}
      </label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="error" id={`${name}-problem`}>
          {problem}
        </p>
      )}
      {children}
    </div>
  )
}

/** What ties an input to its hint and its problem, for a screen reader. WCAG 2.2, 1.3.1 and 3.3.1. */
export function marks({ name, hint, problem, isWrong }: FieldProps, ...more: readonly string[]) {
  const described = [
    isWrong && 'problem',
    problem && `${name}-problem`,
    hint && `${name}-hint`,
    ...more,
  ].filter(Boolean)
  return {
    ...((problem || isWrong) && { 'aria-invalid': true as const }),
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
  }
}
