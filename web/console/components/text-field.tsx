import { useId } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly hint?: string
  readonly problem?: string | undefined
  readonly value: string
  readonly onInput: (value: string) => void
  readonly type?: 'text' | 'email' | 'number'
  readonly isOptional?: boolean
  readonly isReadOnly?: boolean
  readonly maxLength?: number
}

const types = {
  text: { type: 'text' },
  email: { type: 'email' },
  number: { type: 'number' },
} as const

/** A labelled input of one line in a form that is sent by script. */
export function TextField(props: Props) {
  const { label, hint, problem, value, onInput, type = 'text', isOptional, isReadOnly } = props
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="error" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <input
        id={id}
        {...types[type]}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={value}
        {...(props.maxLength !== undefined && { maxLength: props.maxLength })}
        {...(!isOptional && { required: true })}
        {...(isReadOnly && { readOnly: true })}
        {...(problem && { 'aria-invalid': true as const })}
        {...(described !== '' && { 'aria-describedby': described })}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  )
}
