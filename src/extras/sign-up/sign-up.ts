import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { transact } from '../../core/database/transactions.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { Needs } from '../../core/module/services.ts'
import { rolesAmong } from '../../core/policy/principal.ts'
import type { Account } from '../../modules/authentication/account.ts'
import { assertMail } from '../mail/outbox.ts'
import type { Begun, BegunCode, Confirmation } from '../one-time-tokens/confirmations.ts'
import { openProof, type Proof } from '../one-time-tokens/proof.ts'
import { signUpRequested } from './events.ts'
import {
  createOwner,
  type NewOwner,
  type NewOwnerDeps,
  type Owner,
  ownerOf,
  type ProfileInput,
} from './new-owner.ts'
import { signUpOff } from './problems.ts'

/**
 * A visitor gives only an email address. Username, password and account follow after the mailed
 * link or code, so that strangers create nothing for the owner of an address. docs/sign-up.md
 */
export interface SignUp {
  /** @throws ApiError signUpOff, mailUnavailable */
  assertOpen(): void
  /**
   * Mails a link and a code; the response is the same for every permitted address. If an account
   * has the address, its owner gets a notice instead.
   * @throws ApiError as `assertOpen`; validationFailed for a malformed address or forbidden domain;
   * tooManyRequests
   */
  begin(wanted: SignUpInput): Promise<BegunCode>
  /** The proof stays valid. @throws ApiError confirmationInvalid */
  find(proof: Proof): Promise<Confirmation>
  /** @throws ApiError as `createOwner`; signUpOff if sign-up was closed since the request */
  finish(confirmation: Confirmation, wanted: FinishingSignUp): Promise<Account>
  /** Whether an account now has the verified address. */
  isTaken(confirmation: Pick<Confirmation, 'address'>): Promise<boolean>
}

export interface SignUpInput {
  /** As typed. */
  readonly email: string
  readonly language: Language
  /** Client address, for rate limits. */
  readonly client: string
  /** The code is valid only in this flow; null for a program. */
  readonly flow: string | null
  /** Target after sign-up; checked again when used. */
  readonly returnTo?: string
}

export interface FinishingSignUp {
  readonly profile: ProfileInput
  readonly language: Language
  readonly client: NewOwner['client']
  /** Runs in the same transaction. */
  readonly also?: NewOwner['also']
}

interface Mailed extends Pick<SignUpInput, 'client' | 'language'> {
  readonly owner: Owner | null
  readonly address: EmailAddress
  readonly begun: Begun
}

export type SignUpDeps = NewOwnerDeps &
  Pick<Needs, 'config' | 'confirmations' | 'events' | 'outbox'>

const purposes = ['sign_up'] as const

export function createSignUp(deps: SignUpDeps): SignUp {
  const { config, confirmations, db, events, outbox } = deps
  const { domains, mode } = config.signUp

  const signUp: SignUp = {
    assertOpen() {
      if (mode !== 'open') {
        const reason = { code: 'sign_up_not_open', facts: { sign_up: mode } } as const
        throw new ApiError(signUpOff, { reason })
      }
      assertMail(outbox)
    },

    async begin({ email, flow, language, client, returnTo = null }) {
      signUp.assertOpen()
      const address =
        parseEmail(email) ??
        refuseField(['email'], {
          en: 'must be an e-mail address',
          de: 'muss eine E-Mail-Adresse sein',
        })
      assertDomain(address)
      return transact(db, [], async (trx) => {
        const owner = await ownerOf(trx, address)
        // Begin a confirmation in both cases, for equal cost and response: without the mail, its
        // link and code stay unknown.
        const begun = await confirmations.begin(trx, {
          purpose: 'sign_up',
          asked: address.key,
          userId: null,
          address,
          version: 0,
          flow,
          language,
          facts: { return_to: returnTo },
        })
        await mail(trx, { owner, address, begun, language, client })
        await events.emitInTransaction(trx, signUpRequested, { is_taken: owner !== null })
        return begun
      })
    },

    find: (proof) => openProof(confirmations, proof, purposes),

    async finish(confirmation, wanted) {
      signUp.assertOpen()
      const { address } = confirmation
      assertDomain(address)
      const roles = rolesAmong(config.signUp.roles, config.roles)
      return createOwner(deps, { ...wanted, confirmation, address, roles })
    },

    isTaken: async ({ address }) => (await ownerOf(db, address)) !== null,
  }
  return signUp

  function assertDomain({ key }: EmailAddress): void {
    if (domains.length === 0 || domains.includes(key.slice(key.lastIndexOf('@') + 1))) return
    refuseField(['email'], {
      en: 'has a domain that may not sign up here',
      de: 'hat eine Domain, die sich hier nicht registrieren darf',
    })
  }

  async function mail(
    trx: DatabaseOrTransaction,
    { owner, address, begun, language, client }: Mailed,
  ): Promise<void> {
    const { confirmation, ...of } = begun.mail
    const common = { ...of, language, client }
    if (owner) {
      const to = { userId: owner.userId }
      const facts = { username: owner.username }
      await outbox.add(trx, { message: 'sign_up_exists', to, facts, ...common })
    } else {
      await outbox.add(trx, {
        message: 'sign_up',
        to: { address },
        confirmation,
        facts: {},
        ...common,
      })
    }
  }
}
