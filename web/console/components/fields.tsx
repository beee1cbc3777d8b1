import type { ComponentChildren } from 'preact'
import { type FieldProps, Labelled, marks } from '../../components/field.tsx'

/** A field whose text the view holds. */
interface TypedProps extends Omit<FieldProps, 'hasFocus' | 'isWrong'> {
  readonly value: string
  readonly onChange: (value: string) => void
}

interface TextProps extends TypedProps {
  readonly type?: keyof typeof types
  readonly maxLength?: number
  readonly isRequired?: boolean
}

// Spread, because the types of JSX want one that is known.
const types = {
  text: { type: 'text' },
  email: { type: 'email', inputMode: 'email' },
  url: { type: 'url', inputMode: 'url' },
  search: { type: 'search' },
} as const

const literal = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const

/** A labelled line. */
export function TextField({ type = 'text', maxLength, isRequired = false, ...props }: TextProps) {
  const { name, value, onChange } = props
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        {...types[type]}
        {...literal}
        {...(maxLength !== undefined && { maxLength })}
        required={isRequired}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        {...marks(props)}
      />
    </Labelled>
  )
}

/** Several labelled lines. */
export function TextArea({ rows, ...props }: TypedProps & { readonly rows: number }) {
  const { name, value, onChange } = props
  return (
    <Labelled {...props}>
      <textarea
        id={name}
        name={name}
        {...literal}
        rows={rows}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        {...marks(props)}
      />
    </Labelled>
  )
}

interface ChoiceProps<Value extends string> extends Omit<TypedProps, 'value' | 'onChange'> {
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly onChange: (value: Value) => void
}

/** One of several, in a list that opens. */
export function Choice<Value extends string>({ options, ...props }: ChoiceProps<Value>) {
  const { name, value, onChange } = props
  return (
    <Labelled {...props}>
      <select
        id={name}
        name={name}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex]
          if (chosen) onChange(chosen[0])
        }}
        {...marks(props)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

interface CheckProps {
  readonly label: ComponentChildren
  readonly hint?: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

/** A box to tick; its label says what that means. */
export function CheckField({ label, hint, isChecked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="hint">{hint}</span>}
      </span>
    </label>
  )
}

interface RadioProps<Value extends string> {
  readonly name: string
  readonly legend: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, label: string, hint: string])[]
  readonly onChange: (value: Value) => void
}

/** One of a few, each with what it means. */
export function RadioFields<Value extends string>(props: RadioProps<Value>) {
  const { name, legend, value, options, onChange } = props
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([key, label, hint]) => (
        <label key={key} class="check">
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} />
          <span>
            {label}
            <span class="hint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
