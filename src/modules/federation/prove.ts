import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Random } from '../../core/crypto/random.ts'
import type { Database } from '../../core/database/database.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { Account } from '../authentication/account.ts'
import type { Grants } from '../proofs/grants.ts'
import { flowCookie } from './cookie.ts'
import type { FinishedFlow, Flows } from './flow.ts'
import type { Identities } from './identities.ts'
import { freshParameters } from './presets/presets.ts'
import type { Provider } from './provider.ts'
import type { Providers } from './providers.ts'
import { type SignInDeps, unchanged } from './sign-in.ts'

/** By a fresh sign-in at a linked provider. */
export interface ProveByProvider {
  readonly flows: Pick<Flows, 'begin'>
  readonly identities: Pick<Identities, 'of'>
  readonly providers: Providers
  readonly random: Random
}

export interface ProvenByProvider extends Pick<SignInDeps, 'accounts' | 'requirements'> {
  readonly db: Database
  readonly grants: Pick<Grants, 'add' | 'findReturning'>
  readonly identities: Pick<Identities, 'ownerOf'>
}

// Clock skew. `auth_time` has whole seconds.
const toleranceMs = 30_000

/** Those that can state when the person has signed in. */
export async function linkedProviders(
  { identities, providers }: Pick<ProveByProvider, 'identities' | 'providers'>,
  { userId }: Pick<Account, 'userId'>,
): Promise<Provider[]> {
  const linked = await identities.of(userId)
  const found = new Set(linked.map(({ issuer }) => providers.issuing(issuer)))
  return providers.all.filter(
    (provider) =>
      found.has(provider) && provider.config.client && freshParameters(provider.config) !== null,
  )
}

/** @throws ApiError validationFailed for a provider that is not linked, identityProvider */
export async function beginProof(
  deps: ProveByProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  wanted: { readonly account: Account; readonly provider: string; readonly returnTo: string },
): Promise<URL> {
  const { account, returnTo } = wanted
  const linked = await linkedProviders(deps, account)
  const provider = linked.find(({ config }) => config.name === wanted.provider)
  if (!provider)
    return refuseField(['provider'], {
      en: 'is no provider of a linked identity',
      de: 'ist kein Anbieter einer verknüpften Identität',
    })
  const browser = flowCookie.valueOf(request, deps.random)
  const by = { account, guard: reauthorize(request), proves: true } as const
  const url = await deps.flows.begin(provider, { by, browser, returnTo, isFresh: true })
  flowCookie.set(reply, browser)
  return url
}

/**
 * @throws ApiError signInFailed for another identity, a sign-in older than its request, or an
 * expired flow
 */
export async function takeProof(
  deps: ProvenByProvider,
  request: FastifyRequest,
  { person, proves, provider, returnTo }: FinishedFlow,
): Promise<void> {
  if (!proves) throw new Error('the flow is for another purpose')
  const account = await unchanged(deps, proves)
  const facts = { user_id: account.userId, provider }
  if ((await deps.identities.ownerOf(person)) !== account.userId) {
    throw new ApiError('signInFailed', { reason: { code: 'proof_of_another_identity', facts } })
  }
  if (person.authTime === undefined || person.authTime < proves.since - toleranceMs) {
    throw new ApiError('signInFailed', { reason: { code: 'proof_not_fresh', facts } })
  }
  const flow = await deps.grants.findReturning(request, flowIdOf(returnTo), account)
  if (!flow) {
    throw new ApiError('signInFailed', { reason: { code: 'page_flow_unknown' } })
  }
  await transact(deps.db, [lockName.account(account.userId)], async (trx) => {
    await deps.grants.add(trx, flow, ['provider'])
  })
}

function flowIdOf(path: string): string | null {
  return new URLSearchParams(path.split('?')[1]).get('flow')
}
