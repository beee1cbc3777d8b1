import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { positiveInteger } from '../../core/http/lists/paging.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../accounts/look-up.ts'
import {
  AcceptedProofs,
  confirmationRequired,
  proofsIn,
  SentProofs,
} from '../authentication/proof-schemas.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { identityAbsent } from './identities.ts'
import { beginLink } from './link.ts'
import { identityNotFound, providerFailed } from './problems.ts'
import {
  IdentityId,
  IdentityList,
  identityView,
  LinkAnswer,
  LinkRequest,
  SentLink,
} from './schemas.ts'

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }
const proofErrors = [
  'invalidCredentials',
  confirmationRequired,
  captchaRequired,
  'tooManyLoginAttempts',
] as const

/** A change requires a recent login and proofs, because an identity can log in to the account. */
export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, identities, proofs, providers } = options
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '/identities',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('listOwnIdentities'),
        summary: 'Identities that sign in here',
        response: { 200: IdentityList },
      },
    },
    async (request) => {
      const linked = await identities.of((await ownAccount(accounts, request)).userId)
      return linked.map((identity) => identityView(identity, providers))
    },
  )

  app.post(
    '/identities',
    {
      config: {
        access,
        reauthentication: 'always',
        body: 'json',
        sends: SentLink,
        maxBodyBytes: fewFieldsBytes,
        errors: ['accountNotFound', providerFailed, ...proofErrors],
        responseHeaders: ['set-cookie'],
      },
      schema: {
        operationId: idOf('linkIdentity'),
        summary: 'Begin to link an identity: the address to open',
        body: LinkRequest,
        response: { 200: LinkAnswer },
      },
    },
    async (request, reply) => {
      const { provider, return_to } = request.body
      const sent = proofsIn(request.body)
      const wanted = { provider, returnTo: return_to, sent }
      const url = await beginLink(options, request, reply, wanted)
      return { url: url.href }
    },
  )

  app.delete(
    '/identities/:id',
    {
      config: {
        access,
        reauthentication: 'always',
        params: IdentityId,
        body: 'optional',
        sends: SentProofs,
        maxBodyBytes: fewFieldsBytes,
        errors: ['accountNotFound', identityNotFound, ...proofErrors],
        examples: { answer: { message: 'Identity unlinked' } },
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: idOf('unlinkIdentity'),
        summary: 'Unlink an identity: it signs in no more',
        body: AcceptedProofs,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await ownAccount(accounts, request)
      const id = positiveInteger((request.params as { id?: unknown }).id)
      if (id === null) throw identityAbsent()
      await identities.assertLinked(account.userId, id)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'identity_removal', sent })
      await identities.unlink(account.userId, id, guard)
      return { message: 'Identity unlinked' }
    },
  )
}
