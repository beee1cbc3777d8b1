import { useCommon } from '../context.ts'
import { type FieldProps, Labelled, marks } from './field.tsx'

interface Props extends FieldProps {
  readonly autocomplete: 'current-password' | 'new-password'
  /** Ids of further descriptions. */
  readonly describedBy?: readonly string[]
}

/** A password. With scripts it has a button that shows it. */
export function PasswordField({ autocomplete, describedBy = [], ...props }: Props) {
  const t = useCommon()
  const { name, label, hasFocus } = props
  return (
    <Labelled {...props}>
      <div class="with-button">
        <input
          id={name}
          name={name}
          type="password"
          autocomplete={autocomplete}
          autocapitalize="none"
          spellcheck={false}
          {...(hasFocus && { autofocus: true })}
          {...marks(props, ...describedBy)}
        />
        <button
          type="button"
          class="quiet small"
          hidden
          data-show={name}
          data-hide-text={t.hidePassword}
          aria-pressed="false"
          aria-controls={name}
          aria-label={t.showPasswordOf(label)}
        >
          {t.showPassword}
        </button>
      </div>
    </Labelled>
  )
}
