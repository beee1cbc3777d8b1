import type { FieldProps } from './field.tsx'
import { Labelled, marks } from './field.tsx'

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
