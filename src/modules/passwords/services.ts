import { hook, service } from '../../core/module/service.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { sections } from './personal-data.ts'
import { type BreachQuery, breachQuery } from './range-query.ts'
import { createVerifier, type Verifier } from './verifier.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly isBreached: BreachQuery
    readonly passwords: Passwords
    readonly verifier: Verifier
  }
}

export const services = [
  service({
    makes: ['passwords'],
    create: (needs) => ({ passwords: createPasswords(needs) }),
  }),
  service({
    makes: ['isBreached'],
    create: (needs) => ({ isBreached: breachQuery(needs) }),
  }),
  service({
    needs: ['passwords'],
    makes: ['verifier'],
    create: (needs) => ({ verifier: createVerifier(needs) }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]
