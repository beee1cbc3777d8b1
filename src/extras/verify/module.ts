import type { Module } from '../../core/module/module.ts'

/**
 * Checks any implementation of the contract over HTTP. The module knows nothing of the service:
 * only the frame of commands. docs/verify.md
 */
export const module: Module = {
  name: 'verify',
  commands: [
    {
      rows: [
        {
          name: 'verify',
          operands: ['url'],
          summary:
            'Checks each row of the contract at a running service, with data of its own that it removes',
        },
      ],
      load: () => import('./command.ts'),
    },
  ],
  documents: {
    'verify.md': async (text) => (await import('./describe.ts')).describeRows(text),
  },
}
