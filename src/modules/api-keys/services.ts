import { hook, service } from '../../core/module/service.ts'
import type { AccountDetail } from '../accounts/account-detail.ts'
import { type ApiKeys, createApiKeys, endKeysOf } from './api-keys.ts'
import { createKeyJudge, type KeyJudge } from './judge.ts'
import { createLastUsed, type LastUsed } from './last-used.ts'
import { sections } from './personal-data.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly apiKeys: ApiKeys
    readonly keyJudge: KeyJudge
    readonly keysUsed: LastUsed
  }
}

export const services = [
  service({
    needs: ['revocations'],
    makes: ['apiKeys'],
    create: (needs) => ({ apiKeys: createApiKeys(needs) }),
  }),
  service({
    makes: ['keysUsed'],
    create: (needs) => ({ keysUsed: createLastUsed(needs) }),
    async close({ keysUsed, log }) {
      await keysUsed
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'the last use of keys was lost'))
    },
  }),
  service({
    needs: ['keysUsed', 'modules', 'requirements', 'revocations'],
    makes: ['keyJudge'],
    create: ({ keysUsed, ...needs }) => ({
      keyJudge: createKeyJudge({ ...needs, lastUsed: keysUsed }),
    }),
  }),
]

export const hooks = [
  hook('onAccountEnded', [], ({ events }) => async (trx, { endsKeys, isRemoved, userId }) => {
    if (endsKeys && !isRemoved) await endKeysOf(trx, events, userId)
  }),
  hook(
    'accountDetail',
    [],
    (): AccountDetail => ({
      name: 'service',
      schema: { type: 'boolean', description: 'An account of a program, with keys alone' },
      example: false,
      read: async ({ isService }) => isService,
    }),
  ),
  hook('personSections', [], () => sections),
]
