import type { ApiError, ErrorRow } from '../../../core/errors.ts'
import { textIn } from '../../../core/http/bodies/bodies.ts'
import { rowOf } from '../../../core/http/declared-error.ts'
import type { Words } from '../../../core/lib/languages.ts'
import { type AccountField, inputProblems } from '../../../modules/accounts/account-field.ts'
import {
  type ChosenUsernameFault,
  chosenUsernameFaults,
} from '../../../modules/accounts/new-username.ts'
import { passwordProblemOf } from '../../../modules/pages/password-problem.ts'
import type { ProfileInput } from '../new-owner.ts'
import type { ProfileProblems } from './views.ts'

export interface ProfileFormInput extends ProfileInput {
  readonly passwordAgain: string
  /** As typed, by the inputs of other modules. */
  readonly texts: Readonly<Record<string, string>>
}

export function parseProfileForm(body: unknown, fields: readonly AccountField[]): ProfileFormInput {
  const typed = (name: string) => textIn(body, name)
  const inputs = fields.flatMap((field) => field.inputs())
  return {
    texts: Object.fromEntries(inputs.map(({ name }) => [name, typed(name)])),
    more: Object.fromEntries(fields.map((field) => [field.name, field.parse(typed)])),
    username: textIn(body, 'username'),
    name: textIn(body, 'name').trim(),
    password: textIn(body, 'new_password'),
    passwordAgain: textIn(body, 'new_password_again'),
  }
}

/** The errors that fields of other modules add, and whether the form shows an error. */
export function formErrorsOf(fields: readonly AccountField[]) {
  const added = fields.flatMap(({ errors }) => errors)
  const shown = new Set<ErrorRow>(['validationFailed', 'usernameExists', ...added.map(rowOf)])
  return { added, isOfForm: (row: ErrorRow) => shown.has(row) }
}

/** Empty fields and differing passwords. */
export function problemsOfForm(sent: ProfileFormInput): ProfileProblems {
  const { username, name, password, passwordAgain } = sent
  return {
    ...(username.trim() === '' && { username: 'missing' }),
    ...(name === '' && { name: 'missing' }),
    ...(password === '' && { password: { rule: 'missing' } }),
    ...(password !== '' && password !== passwordAgain && { passwordAgain: 'differs' }),
  }
}

/** From the error of the service. */
export function problemsOfError(error: ApiError, fields: readonly AccountField[]): ProfileProblems {
  const { row, details = [] } = error
  const inputs = inputProblems(error, fields)
  if (row === 'usernameExists') return { username: 'taken' }
  if (row === 'tooManyRequests') return { username: 'too_often' }
  const of = (field: string) => details.find(({ path }) => path[0] === field)?.message
  const password = passwordProblemOf(error, 'password')
  return {
    ...usernameProblem(of('username')),
    ...(of('name') !== undefined && { name: 'form' }),
    ...(password && { password }),
    ...(Object.keys(inputs).length > 0 && { inputs }),
  }
}

function usernameProblem(message: string | undefined): Pick<ProfileProblems, 'username'> {
  if (message === undefined) return {}
  const faults = Object.entries(chosenUsernameFaults) as [ChosenUsernameFault, Words][]
  const [fault] = faults.find(([, { en }]) => en === message) ?? []
  return { username: fault ?? 'form' }
}
