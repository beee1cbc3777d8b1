import { subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import type { ProtectedForms } from './pages/protected-form.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly protectedForms: ProtectedForms
    /** How many ways in of each name an account has. */
    readonly waysIn: (userId: number) => Promise<Readonly<Record<string, number>>>
  }
}

export const services = [
  service({ needs: [], makes: ['protectedForms'], create: () => ({ protectedForms: new Map() }) }),
  service({
    makes: ['waysIn'],
    hooks: ['waysIn'],
    create: ({ waysIn }) => ({
      async waysIn(userId) {
        const counts = subscribersOf(waysIn).map((count) => count(userId))
        return Object.assign({}, ...(await Promise.all(counts)))
      },
    }),
  }),
]
