import type { FastifyReply, FastifyRequest } from 'fastify'
import { transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Application } from '../../modules/clients/application.ts'
import { sessionOf } from '../../modules/pages/sign-in/sessions.ts'
import type { LiveSession } from '../../modules/sessions/sessions.ts'
import { uidOf } from './authorize-routes.ts'
import type { Interaction, Interactions, Result } from './interactions.ts'
import { protocolPaths } from './paths.ts'
import { EndedMeanwhile } from './work.ts'

export interface Person {
  readonly session: LiveSession
  readonly account: Account
}

/** What all steps of a person need: the waiting request, its application, and its end. */
export function createInteractionSteps(needs: Needs) {
  const { accounts, applications, clients, db } = needs
  const { interactions } = applications
  return { applicationOf, change, finish, interactionOf, personOf }

  /**
   * By a page of ours: a form does not lead to another origin (form-action), whatever redirects
   * follow it.
   */
  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    interaction: Interaction,
    result: Result,
    also?: Parameters<typeof transact<void>>[2],
  ) {
    await change(interaction, { result }, also)
    const path = `${protocolPaths.authorization}/${interaction.uid}`
    return sendView(reply, request, 'sign-in-arrival', { path })
  }

  async function change(
    interaction: Interaction,
    changes: Parameters<Interactions['change']>[2],
    also?: Parameters<typeof transact<void>>[2],
  ): Promise<void> {
    try {
      await transact(db, [], async (trx) => {
        await interactions.change(trx, interaction, changes)
        await also?.(trx)
      })
    } catch (error) {
      if (error instanceof EndedMeanwhile) throw unknown()
      throw error
    }
  }

  async function personOf(request: FastifyRequest): Promise<Person | null> {
    const session = await sessionOf(needs, request)
    if (!session || session.needsEnrolment) return null
    const account = await accounts.byUserId(session.stored.userId)
    return account && { session, account }
  }

  async function interactionOf(request: FastifyRequest): Promise<Interaction> {
    const interaction = await interactions.find(uidOf(request), request)
    if (!interaction) throw unknown()
    return interaction
  }

  /** @throws ApiError if it is disabled or removed by now */
  async function applicationOf({ client }: Interaction): Promise<Application> {
    const application = (await clients.find(client))?.application
    if (application) return application
    throw new ApiError('signInFailed', {
      reason: { code: 'application_unknown', facts: { client } },
    })
  }
}

function unknown(): ApiError {
  return new ApiError('signInFailed', { reason: { code: 'application_request_unknown' } })
}
