import { type FieldProps, Labelled, marks } from './field.tsx'

/**
 * A code of digits: one field, so that it can be pasted, also with spaces in it; a phone offers the
 * code that it has received. WCAG 2.2, 3.3.8.
 */
export function CodeField(props: FieldProps) {
  const { name, hasFocus } = props
  return (
    <Labelled {...props}>
      <input
        class="code"
        id={name}
        name={name}
        type="text"
        inputMode="numeric"
        autocomplete="one-time-code"
        autocapitalize="none"
        spellcheck={false}
        {...(hasFocus && { autofocus: true })}
        {...marks(props)}
      />
    </Labelled>
  )
}
