import type { Module } from '../../core/module/module.ts'
import { keyNotFound, keyNotReplaced, keySigns } from './problems.ts'
import { tables } from './tables.ts'

const rotateEveryMs = 3_600_000

/**
 * The key set: signing keys of tokens with their rotation, sealed under the master key, which can
 * be rotated too. Routes: /api/admin/keys, /.well-known/jwks.json. docs/adr/0035, 0068
 */
export const module: Module = {
  name: 'keys',
  tag: 'Tokens',
  tables,
  errors: [keyNotFound, keySigns, keyNotReplaced],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        {
          name: 'keys list',
          summary: 'Shows the key set: what signs from when, what still verifies, and until when',
        },
        {
          name: 'keys rotate',
          summary:
            'Replaces the key of access tokens: the new one is published now and signs in 10 minutes; tokens of the old one stay valid until they expire',
        },
        {
          name: 'keys rotate-master',
          summary:
            'Turns the master key while nodes serve: asks them whether they know the next key, and seals the key set under it',
        },
        {
          name: 'keys retire',
          operands: ['kid'],
          summary: 'Ends a key that signs no more at once: its tokens are refused from now on',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
  jobs: ({ keys, masterKeyRotationAnswers }) => [
    {
      name: 'keys of other processes',
      everyMs: 1000,
      inEachWorker: true,
      readsFiles: true,
      run: masterKeyRotationAnswers.follow,
    },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
  ],
}
