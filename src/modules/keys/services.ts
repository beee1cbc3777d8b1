import { inTransaction } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import { type KeySet, loadKeySet } from './key-set.ts'
import { createMasterTurn, type MasterTurn, type OnTurned } from './turn.ts'
import { createTurnAnswers, type TurnAnswers } from './turn-answers.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    /** In the transaction that turns the master key: what else is signed under it. */
    onKeyTurned: OnTurned
  }
}

declare module '../../core/module/services.ts' {
  interface Services {
    readonly keys: KeySet
    readonly masterTurn: MasterTurn
    readonly turnAnswers: TurnAnswers
  }
}

export const services = [
  // With the audit log, which records a new key.
  service({
    needs: ['audit', 'isServer', 'clock', 'config', 'db', 'feed', 'events', 'random'],
    makes: ['keys'],
    create: async ({ isServer, ...needs }) => ({
      keys: await loadKeySet(needs, { mayAddSigner: isServer }),
    }),
  }),
  service({
    needs: ['clock', 'config', 'db', 'events', 'random'],
    makes: ['masterTurn'],
    hooks: ['onKeyTurned'],
    create: ({ onKeyTurned, ...needs }) => ({
      masterTurn: createMasterTurn({ ...needs, onTurned: inTransaction(onKeyTurned) }),
    }),
  }),
  service({
    needs: ['clock', 'db', 'feed', 'keys', 'log', 'random'],
    makes: ['turnAnswers'],
    create: (needs) => ({ turnAnswers: createTurnAnswers(needs) }),
  }),
]
