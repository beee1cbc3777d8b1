import type { FieldProps } from './field.tsx'
import { Labelled, marks } from './field.tsx'

interface CheckboxProps extends FieldProps {
  readonly isChecked?: boolean
  readonly value?: string
}

/** A box to tick; it sends `on`, or its value. */
export function Checkbox({ isChecked = false, value, ...props }: CheckboxProps) {
  const { name, label, hint, problem, hasFocus } = props
  return (
    <div class={problem ? 'field wrong' : 'field'}>
      <label class="choice" for={name}>
        <input
          id={name}
          name={name}
          type="checkbox"
          checked={isChecked}
          {...(value !== undefined && { value })}
          {...(hasFocus && { autofocus: true })}
          {...marks(props)}
        />
        {label}
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
    </div>
  )
}

interface SelectProps extends FieldProps {
  readonly options: readonly {
    readonly value: string
    readonly text: string
    readonly lang?: string
  }[]
  readonly value: string
}

/** One of several. */
export function Select({ options, value, ...props }: SelectProps) {
  const { name, hasFocus } = props
  return (
    <Labelled {...props}>
      <select id={name} name={name} {...(hasFocus && { autofocus: true })} {...marks(props)}>
        {options.map((option) => (
          <option
            key={option.value}
            value={option.value}
            selected={option.value === value}
            {...(option.lang && { lang: option.lang })}
          >
            {option.text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}
