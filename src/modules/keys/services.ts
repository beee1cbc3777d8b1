import { inTransaction } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import { type KeySet, loadKeySet } from './key-set.ts'
import {
  createMasterKeyRotation,
  type MasterKeyRotation,
  type OnRotated,
} from './master-key-rotation.ts'
import {
  createMasterKeyRotationAnswers,
  type MasterKeyRotationAnswers,
} from './master-key-rotation-answers.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    /** In the transaction that rotates the master key: seals or signs other rows again. */
    onKeyTurned: OnRotated
  }
}

declare module '../../core/module/services.ts' {
  interface Services {
    readonly keys: KeySet
    readonly masterKeyRotation: MasterKeyRotation
    readonly masterKeyRotationAnswers: MasterKeyRotationAnswers
  }
}

export const services = [
  // Needs the audit log, which records new keys.
  service({
    needs: ['audit', 'isServer'],
    makes: ['keys'],
    create: async ({ isServer, ...needs }) => ({
      keys: await loadKeySet(needs, { mayAddSigner: isServer }),
    }),
  }),
  service({
    makes: ['masterKeyRotation'],
    hooks: ['onKeyTurned'],
    create: ({ onKeyTurned, ...needs }) => ({
      masterKeyRotation: createMasterKeyRotation({
        ...needs,
        onRotated: inTransaction(onKeyTurned),
      }),
    }),
  }),
  service({
    needs: ['keys'],
    makes: ['masterKeyRotationAnswers'],
    create: (needs) => ({ masterKeyRotationAnswers: createMasterKeyRotationAnswers(needs) }),
  }),
]
