import type { ProfileFieldsView, ProfileProblems } from '../../../src/extras/sign-up/pages/views.ts'
import { AccountInputs, useWrongInputs } from '../../components/account-inputs.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/messages.tsx'
import { NewPasswordFields } from '../../components/new-password-fields.tsx'
import { useTexts } from '../../context.ts'
import type { Texts } from '../../languages/languages.ts'

/** The fields of a new owner: username, name, and a password twice. */
export function ProfileFields({ username, name, inputs, minLength, problems }: ProfileFieldsView) {
  const texts = useTexts()
  const told = Object.fromEntries(wrongFields(problems, texts).map((it) => [it.name, it.text]))
  const isOfInput = useWrongInputs(inputs).length > 0
  const [first = isOfInput ? '' : 'username'] = Object.keys(told)
  return (
    <>
      <Field
        name="username"
        label={texts.common.username}
        autocomplete="username"
        value={username}
        hint={texts.signUp.usernameHint}
        problem={told.username}
        hasFocus={first === 'username'}
      />
      <Field
        name="name"
        label={texts.signUp.name}
        autocomplete="name"
        isProse
        value={name}
        hint={texts.signUp.nameHint}
        problem={told.name}
        hasFocus={first === 'name'}
      />
      <AccountInputs inputs={inputs} hasFocus={first === ''} />
      <NewPasswordFields
        minLength={minLength}
        username={null}
        problem={told.new_password}
        repeatProblem={told.new_password_again}
        hasFocus={first === 'new_password' || first === 'new_password_again'}
      />
    </>
  )
}

/** What is wrong, above the form; nothing if all is well. */
export function ProfileProblem({ inputs, problems }: ProfileFieldsView) {
  const fields = [...wrongFields(problems, useTexts()), ...useWrongInputs(inputs)]
  return fields.length > 0 ? <Problem fields={fields} /> : null
}

export function hasProblems(problems: ProfileProblems): boolean {
  return Object.keys(problems).length > 0
}

/** The wrong fields with their texts, in the order of the form. */
function wrongFields(problems: ProfileProblems, { common, passwordProblem, signUp }: Texts) {
  const { username, name, password, passwordAgain } = problems
  return [
    ...(username ? [{ name: 'username', text: signUp.usernameProblems[username] }] : []),
    ...(name ? [{ name: 'name', text: signUp.nameProblems[name] }] : []),
    ...(password ? [{ name: 'new_password', text: passwordProblem(password) }] : []),
    ...(passwordAgain ? [{ name: 'new_password_again', text: common.passwordsDiffer }] : []),
  ]
}
