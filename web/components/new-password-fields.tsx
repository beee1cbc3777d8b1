import { Fragment } from 'preact'
import { useCommon } from '../context.ts'
import { PasswordField } from './password-field.tsx'

interface Props {
  /** The name of the field; that of the second one ends in `_again`. */
  readonly name?: string
  /** The least number of characters: `PASSWORD_MIN_LENGTH`. */
  readonly minLength: number
  /** Whose password it is: a hidden field by which a password manager files it. */
  readonly username: string | null
  readonly problem?: string | null | undefined
  readonly repeatProblem?: string | null | undefined
  readonly hasFocus?: boolean
  /** Whether the present password stands before it, and the hidden username before that. */
  readonly isBehindAnother?: boolean
}

/**
 * A new password, twice, with its rules as a list. With scripts the list tells at each letter which
 * rules are met; the service judges all of them when it is sent.
 */
export function NewPasswordFields({
  name = 'new_password',
  minLength,
  username,
  problem,
  repeatProblem,
  hasFocus = false,
  isBehindAnother = false,
}: Props) {
  const t = useCommon()
  const rules = `${name}-rules`
  const isSecondWrong = Boolean(repeatProblem) && !problem
  return (
    <Fragment>
      {username !== null && !isBehindAnother && <UsernameForManagers username={username} />}
      <PasswordField
        name={name}
        label={t.newPassword}
        autocomplete="new-password"
        problem={problem}
        hasFocus={hasFocus && !isSecondWrong}
        describedBy={[rules]}
      />
      <div
        class="rules"
        id={rules}
        data-rules-for={name}
        data-met={t.ruleMet}
        data-unmet={t.ruleNotMet}
      >
        <p>{t.passwordRules}</p>
        <ul>
          <li data-rule="length" data-min={minLength}>
            {t.atLeastCharacters(minLength)}
          </li>
          <li data-rule="owner" data-names={username ?? ''}>
            {t.notYourName}
          </li>
          <li>{t.notBreached}</li>
        </ul>
        <p class="hint">{t.passwordAdvice}</p>
      </div>
      <PasswordField
        name={`${name}_again`}
        label={t.repeatPassword}
        autocomplete="new-password"
        problem={repeatProblem}
        hasFocus={hasFocus && isSecondWrong}
      />
    </Fragment>
  )
}

/** By which a password manager knows whose passwords follow: browsers want it before all of them. */
export function UsernameForManagers({ username }: { readonly username: string }) {
  return (
    <input
      class="for-managers"
      type="text"
      name="username"
      autocomplete="username"
      value={username}
      readOnly
      tabIndex={-1}
      aria-hidden="true"
    />
  )
}
