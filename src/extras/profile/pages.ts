import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { acceptForms, textIn } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { InputProblem } from '../../core/http/pages/views/account-input.ts'
import type { Needs } from '../../core/module/services.ts'
import { inputProblems, shownInputs } from '../../modules/accounts/account-field.ts'
import {
  accountForm,
  accountPage,
  common,
  goOn,
  type Person,
  personOf,
  show,
  showIfRefused,
} from '../own-account/pages/own-page.ts'
import type { AccountProblem } from '../own-account/pages/views.ts'
import { changedValues, type FormTexts, inputsOf, profileField, textsOf } from './account-field.ts'
import { type FieldValue, mayRead, mayWrite } from './field.ts'
import { isObject } from './parse-field.ts'
import { valueTaken } from './schemas.ts'
import type { ProfileView } from './views.ts'

const path = '/account/profile'
// Each value as shown and as typed, percent-encoded; BODY_LIMIT_BYTES also binds.
const maxFormBytes = 1_048_576

/** GET and POST /account/profile. */
export async function routes(app: FastifyInstance, deps: Needs): Promise<void> {
  const { profileValues } = deps
  const field = profileField(profileValues)
  acceptForms(app)

  app.get(path, accountPage(path), async (request, reply) => {
    const person = await personOf(deps, request)
    return show(reply, request, person, 'account-profile', await viewOf(request, person))
  })

  const { config, schema } = accountForm(path, { maxBodyBytes: maxFormBytes })
  const errors = [valueTaken]
  app.post(path, { schema, config: { ...config, errors } }, async (request, reply) => {
    const person = await personOf(deps, request)
    const { userId } = person.account
    const fields = profileValues.fields()
    const typed = (name: string) => textIn(request.body, name)
    const texts = Object.fromEntries(inputsOf(fields).map(({ name }) => [name, typed(name)]))
    let found: Readonly<Record<string, InputProblem>> = {}
    const shown = shownOf(textIn(request.body, 'shown'))
    const before = await viewOf(request, person, shown)
    showIfRefused(request, person, 'account-profile', {
      problemOf(error: ApiError): AccountProblem | null {
        found = inputProblems(error, [field])
        const [first] = Object.keys(found)
        return first === undefined ? null : { code: 'profile_wrong', field: first }
      },
      view: (problem) => ({
        ...{ ...before, ...common(request, person, problem) },
        inputs: shownInputs(before.inputs, texts, found),
      }),
    })
    const guard = reauthorize(request)
    const wanted = changedValues(fields, request.body, shown ?? {})
    await profileValues.change(userId, wanted, { by: 'owner', guard })
    return goOn(reply, person, path, 'profile')
  })

  async function viewOf(
    request: FastifyRequest,
    person: Person,
    shown?: FormTexts,
  ): Promise<ProfileView> {
    const values = await profileValues.of(person.account.userId, 'owner')
    const fields = profileValues.fields().filter((one) => mayRead(one, 'owner'))
    const texts = textsOf(fields, values)
    return {
      ...common(request, person),
      shown: JSON.stringify(shown ?? texts),
      fixed: fields
        .filter((one) => !mayWrite(one, 'owner'))
        .map(({ name, labels }) => ({ name, labels, value: fixedOf(values[name]) })),
      inputs: shownInputs(inputsOf(fields), texts),
    }
  }
}

/** Undefined if the form lacks what its page showed. */
function shownOf(text: string): FormTexts | undefined {
  let shown: unknown
  try {
    shown = JSON.parse(text)
  } catch {
    return undefined
  }
  return isObject(shown)
    ? Object.fromEntries(Object.keys(shown).map((name) => [name, textIn(shown, name)]))
    : undefined
}

function fixedOf(value: FieldValue | undefined): string | boolean | null {
  return typeof value === 'number' ? String(value) : (value ?? null)
}
