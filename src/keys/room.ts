import { fileBeside, type Room } from '../room/room.ts'
import type { KeySet } from './key-set.ts'

const rotateEveryMs = 3_600_000

export const room: Room<{ readonly keys: KeySet }> = {
  name: 'keys',
  tables: [{ name: 'keys', key: ['id'] }],
  events: fileBeside(import.meta.url, './events'),
  settings: [
    'MASTER_KEY',
    'TOKEN_ALGORITHM',
    'TOKEN_SECRET',
    'TOKEN_SECRET_PREVIOUS',
    'TOKEN_PRIVATE_KEY',
    'KEY_ROTATION_DAYS',
  ],
  commands: [
    {
      rows: [
        {
          name: 'keys list',
          summary: 'Shows the key set: what signs, what still verifies, and until when',
        },
        {
          name: 'keys rotate',
          summary: 'Replaces the signing key; tokens of the old one stay valid until they expire',
        },
        {
          name: 'keys retire',
          operands: ['kid'],
          summary: 'Ends a replaced signing key at once: its tokens are refused from now on',
        },
      ],
      file: fileBeside(import.meta.url, '../cli/commands/keys'),
    },
  ],

  jobs: async ({ keys }) => [
    { name: 'keys of other processes', everyMs: 1000, run: keys.refresh },
    { name: 'key rotation', everyMs: rotateEveryMs, run: keys.rotateIfDue },
  ],
}
