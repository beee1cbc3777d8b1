import { subscribersOf } from '../../core/module/hooks.ts'
import { service } from '../../core/module/service.ts'
import type { Landing } from './landing.ts'
import type { SignInAddition } from './sign-in/ways.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly signInAdditions: () => readonly SignInAddition[]
    readonly landings: () => readonly Landing[]
  }
}

export const services = [
  service({
    makes: ['signInAdditions'],
    hooks: ['signInPages'],
    create: ({ signInPages }) => ({ signInAdditions: () => subscribersOf(signInPages) }),
  }),
  service({
    makes: ['landings'],
    hooks: ['landing'],
    create: ({ landing }) => ({ landings: () => subscribersOf(landing) }),
  }),
]
