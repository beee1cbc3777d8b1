import { hook, service } from '../../core/module/service.ts'
import { createTakenUsernames } from '../../modules/throttle/taken-usernames.ts'
import { invitationDetail } from './account-detail.ts'
import { invitationStores } from './invitation-store.ts'
import { createInvitations, type Invitations } from './invitations.ts'
import { signUpLink } from './pages/link.ts'
import { sectionsOf } from './personal-data.ts'
import { createSignUp, type SignUp } from './sign-up.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly invitations: Invitations
    readonly signUp: SignUp
  }
}

export const services = [
  service({
    needs: ['accountFields', 'confirmations', 'outbox', 'accounts', 'keys'],
    makes: ['invitations', 'signUp'],
    create: (needs) => {
      const registration = { ...needs, takenUsernames: createTakenUsernames(needs) }
      return { invitations: createInvitations(registration), signUp: createSignUp(registration) }
    },
  }),
]

export const hooks = [
  hook('accountDetail', ['invitations'], invitationDetail),
  hook('signInPages', ['outbox'], (needs) => ({
    link: (at) => signUpLink(needs, at),
  })),
  hook('onErasure', ['keys'], (needs) => {
    const stores = invitationStores(needs)
    return (trx, userId) => stores.of(trx).forgetAddressOf(userId)
  }),
  hook('personSections', ['keys'], sectionsOf),
]
