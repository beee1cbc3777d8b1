import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'basic',
  reasons: () => import('./reasons.ts'),
  authenticators: async () => {
    const { basicAuthenticator } = await import('./authenticator.ts')
    return (needs, before) => [...before, basicAuthenticator(needs)]
  },
}
