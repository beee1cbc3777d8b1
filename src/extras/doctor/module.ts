import type { Module } from '../../core/module/module.ts'

/** docs/adr/0069 */
export const module: Module = {
  name: 'doctor',
  tag: 'Service',
  commands: [
    {
      rows: [
        {
          name: 'doctor',
          operands: ['[url]'],
          summary:
            'Examines a deployment from inside and, at BASE_URL or another address, from outside: what is wrong, why it matters, and what mends it',
        },
      ],
      load: () => import('./command.ts'),
    },
  ],
  documents: {
    'doctor.md': async (...given) => (await import('./describe.ts')).describeChecks(...given),
  },
  routes: () => import('./routes.ts'),
}
