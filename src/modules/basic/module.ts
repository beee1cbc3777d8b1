import type { Module } from '../../core/module/module.ts'

/** The scheme Basic (spec 5.1): a password or a client secret in the Authorization header. */
export const module: Module = {
  name: 'basic',
  reasons: () => import('./reasons.ts'),
  authenticators: async () => {
    const { basicAuthenticator } = await import('./authenticator.ts')
    return (needs, before) => [...before, basicAuthenticator(needs)]
  },
}
