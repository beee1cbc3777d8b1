import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App, Static } from '../../core/http/schemas.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import type { ListedKey } from './key-set.ts'
import { keyNotFound, keyNotReplaced, keySigns } from './problems.ts'
import { KeyNotReplaced, KeySigns } from './retirement.ts'
import { KeyId, KeyList, RotatedKey, RotateKey, StoredKey } from './schemas.ts'

const access = { rule: role('ADMIN') }
// Adding or ending a key decides which tokens are accepted.
const reauthentication = 'always'

export async function routes(app: App, { clock, keys }: Needs): Promise<void> {
  app.get(
    '/api/admin/keys',
    {
      config: { access },
      schema: {
        operationId: 'listKeys',
        summary: 'The key set: what signs from when, what still verifies, and until when',
        response: { 200: KeyList },
      },
    },
    async () => ({ data: (await keys.list()).map((key) => keyView(key, clock.now())) }),
  )

  app.post(
    '/api/admin/keys/rotate',
    {
      config: {
        ...{ access, reauthentication },
        ...{ body: 'optional', maxBodyBytes: fewFieldsBytes },
        errors: [keyNotReplaced],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'rotateKey',
        summary:
          'Replace the key of access tokens, or of refresh tokens; tokens of the old stay valid',
        body: RotateKey,
        response: { 200: RotatedKey },
      },
    },
    async (request) => {
      const { purpose = 'signing', at_once: atOnce = false } = request.body
      const how = { purpose, atOnce, guard: reauthorize(request) }
      const { kid, before, signsFrom } = await keys.rotate(how).catch((error: unknown) => {
        if (!(error instanceof KeyNotReplaced)) throw error
        const reason = { code: 'key_not_replaced', facts: { detail: error.message } } as const
        throw new ApiError(keyNotReplaced, { reason })
      })
      return { kid, purpose, before, signs_from: isoTimeOrNull(signsFrom) }
    },
  )

  app.post(
    '/api/admin/keys/:kid/retire',
    {
      config: { access, reauthentication, params: KeyId, errors: [keyNotFound, keySigns] },
      schema: {
        operationId: 'retireKey',
        summary: 'End a key that signs no more at once: its tokens are refused from now on',
        response: { 200: StoredKey },
      },
    },
    async (request) => {
      const { kid } = request.params as { kid: string }
      const isRetired = await keys.retire(kid, reauthorize(request)).catch((error: unknown) => {
        if (!(error instanceof KeySigns)) throw error
        const reason = { code: 'key_signs', facts: { detail: error.message } } as const
        throw new ApiError(keySigns, { reason })
      })
      const retired = isRetired && (await keys.list()).find(({ id }) => id === kid)
      if (!retired) throw new ApiError(keyNotFound, { reason: { code: 'no_such_key' } })
      return keyView(retired, clock.now())
    },
  )
}

function keyView(key: ListedKey, now: number) {
  return {
    kid: key.id,
    purpose: key.purpose,
    algorithm: key.algorithm,
    state: stateOf(key, now),
    configured: key.createdAt === null,
    created_at: isoTimeOrNull(key.createdAt),
    signs_from: isoTimeOrNull(key.signsFrom),
    verifies_until: isoTimeOrNull(key.retiredAt),
    can_retire: key.canRetire,
  }
}

function stateOf(
  { purpose, retiredAt, signs, signsFrom }: ListedKey,
  now: number,
): Static<typeof StoredKey>['state'] {
  if (purpose === 'data') return 'encrypts'
  if (signs) return 'signs'
  if (retiredAt !== null && retiredAt <= now) return 'ended'
  return signsFrom !== null && signsFrom > now ? 'published' : 'verifies'
}
