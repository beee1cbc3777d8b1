import { setTimeout } from 'node:timers/promises'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { knownSecret } from '../../core/cli/secrets.ts'
import { withServices } from '../../core/cli/work.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { AnswerShown, ExplainDeps } from './shown.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'explain',
    options: {
      token: { type: 'boolean', doc: 'whether a token would be refused; read from standard input' },
      user: { type: 'string', value: 'username', doc: 'the account that would send the request' },
      route: {
        type: 'string',
        value: 'route',
        doc: 'method and path of the request: "PUT /users/7"; without it, the login is asked about',
      },
    },
    example: 'explain --user ann --route "PUT /users/7"',
    run: explain,
  },
]

/** Of the command line. */
const language = 'en' as const

async function explain(call: CommandCall): Promise<void> {
  const [id] = call.operands
  const [user, route] = [textOf(call, 'user'), textOf(call, 'route')]
  const isRoute = user !== undefined || route !== undefined
  const asked = [id !== undefined, call.values.token === true, isRoute].filter(Boolean).length
  if (id !== undefined && call.values.token === true) {
    throw new UsageError('a token is never an argument: --token reads it from standard input')
  }
  if (asked !== 1)
    throw new UsageError('name one: an id, --token, or --user, with or without --route')
  if (id !== undefined) return explainId(call, id)
  if (!isRoute) return explainOneToken(call)
  if (user === undefined) throw new UsageError('--route needs --user')
  return explainOneRoute(call, user, route)
}

const explaining = [
  ...(['accounts', 'canSendReset', 'externalBearer', 'keyJudge', 'keys', 'lookUpReason'] as const),
  ...(['modules', 'otherTokens', 'refusals'] as const),
  ...(['requirements', 'revocations', 'rotation', 'throttle', 'tokens'] as const),
] as const

function explainId(call: CommandCall, id: string): Promise<void> {
  return withServices(call, explaining, async (services, deps) => {
    const { explainRefusal } = await import('./explain.ts')
    const read = () => explainRefusal({ ...deps, ...services, language }, id)
    const { readSoon } = await import('./command-text.ts')
    const refusal = await readSoon(read, setTimeout)
    // Do not print the id: terminal escape sequences.
    if (!refusal) throw new CommandError('no refusal of this id is kept', exitCodes.notFound.code)
    if (call.values.json === true) return call.output.record(refusal)
    const { factsInWords, nextStepOf } = await import('./command-text.ts')
    const { explanation, facts, mends: _, remedies: __, ...others } = refusal // `next` has the command
    const reason = await services.lookUpReason(refusal.code)
    const next = nextStepOf(reason, refusal.username, refusal.address)
    call.output.record({ explanation, facts: factsInWords(facts), next, ...others })
  })
}

async function explainOneToken(call: CommandCall): Promise<void> {
  const token = (await knownSecret(call, 'token')).trim()
  await withServices(call, explaining, async (services, deps) => {
    const { explainToken } = await import('./explain-token.ts')
    await show(call, await explainToken({ ...deps, ...services, language }, token), services)
  })
}

async function explainOneRoute(
  call: CommandCall,
  user: string,
  route: string | undefined,
): Promise<void> {
  const { parseRoute } = await import('./match-route.ts')
  const wanted = route === undefined ? undefined : parseRoute(route)
  const username = canonicalUsername(user)
  if (wanted === null)
    throw new UsageError('--route must be a method and a path, such as "PUT /users/7"')
  if (!username) throw new UsageError('--user is no username')
  await withServices(call, ['accounts'], async ({ accounts }, deps, makeAll) => {
    const account = await accounts.byUsername(username)
    if (!account) throw new CommandError('no such account', exitCodes.notFound.code)
    const { explainLogin, explainRoute } = await import('./explain.ts')
    const { routesOfService } = await import('../../core/cli/declared-routes.ts')
    const services = await makeAll() // required by the routes
    const routes = await routesOfService(call, deps, services)
    const judging = { ...deps, ...services, language, routes }
    await show(
      call,
      wanted ? await explainRoute(judging, account, wanted) : await explainLogin(judging, account),
      services,
    )
  })
}

/** @throws CommandError, after the output, if the service would refuse */
async function show(
  { output, values }: CommandCall,
  answer: AnswerShown,
  { lookUpReason }: Pick<ExplainDeps, 'lookUpReason'>,
): Promise<void> {
  if (values.json === true) output.record(answer)
  else {
    const { factsInWords, nextStepOf } = await import('./command-text.ts')
    const {
      checks,
      of,
      passes,
      explanation,
      facts,
      mends: _,
      remedies: __,
      refusal: ___,
      ...others
    } = answer
    const reason = answer.code === null ? {} : await lookUpReason(answer.code)
    const next = nextStepOf(reason, answer.username)
    output.record({ of, passes, explanation, facts: factsInWords(facts), next, ...others })
    if (checks.length > 0) {
      output.message('')
      output.rows(
        checks.map(({ explanation: _, facts, ...check }) => ({
          ...check,
          facts: factsInWords(facts),
        })),
      )
    }
  }
  if (!answer.passes) throw new CommandError('it would be refused', exitCodes.refused.code)
}
