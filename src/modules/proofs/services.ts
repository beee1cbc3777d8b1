import { some, subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import type { Proofs } from '../authentication/proofs.ts'
import { createGrants, type Grants } from './grants.ts'
import { createProofs } from './proofs.ts'
import type { SentCode } from './sent-code.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly sentCodes: () => readonly SentCode[]
    readonly grants: Grants
    readonly proofs: Proofs
  }
}

export const services = [
  service({
    makes: ['sentCodes'],
    hooks: ['sentCode'],
    create: ({ sentCode }) => ({ sentCodes: () => subscribersOf(sentCode) }),
  }),
  service({
    needs: ['pageFlows', 'requirements'],
    makes: ['grants'],
    create: (needs) => ({ grants: createGrants(needs) }),
  }),
  service({
    needs: [
      'accounts',
      'factors',
      'grants',
      'limits',
      'loginAddress',
      'passkeyLimits',
      'requirements',
      'passwords',
      'verifier',
    ],
    makes: ['proofs'],
    hooks: ['hasProvider'],
    create: ({ hasProvider, ...needs }) => ({
      proofs: createProofs({ ...needs, hasProvider: some(hasProvider) }),
    }),
  }),
]
