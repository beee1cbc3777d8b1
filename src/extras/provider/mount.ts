import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from 'oidc-provider'
import { ApiError } from '../../core/errors.ts'
import { contentTypes } from '../../core/http/media-types.ts'
import { sendView } from '../../core/http/pages/send-view.ts'
import type { Needs } from '../../core/module/services.ts'
import { copyHead, exchangeOf } from './fake-exchange.ts'
import type { Instance } from './instance.ts'
import { protocolPaths } from './paths.ts'
import { clientInvalid, invalidGrant, proofInvalid, proofRefused } from './problems.ts'
import { problemFor } from './protocol-errors.ts'
import {
  AlreadyUsed,
  beginWork,
  EndedMeanwhile,
  type ProtocolError,
  perform,
  Replayed,
  type Work,
} from './work.ts'

/** What a route does beside the library. */
export interface Beside {
  /** The session of ours that alone may continue. */
  readonly expectedSession?: string | undefined
  /** For programs, in the words of RFC 6749; a person sees a page. */
  readonly isForProgram?: true
  /** After the library and before the commit: adds what commits with its work. */
  readonly also?: (work: Work, context: Context) => void
}

export type Mount = (
  request: FastifyRequest,
  reply: FastifyReply,
  beside?: Beside,
) => Promise<FastifyReply>

// The form leads to the application, and the library adds the hash of its script.
const formPostPolicy = "default-src 'none'; script-src; base-uri 'none'; frame-ancestors 'none'"

/** Answers a request by the library, and commits what it stores before the answer. */
export function createMount(
  deps: Pick<Needs, 'config' | 'db' | 'events'>,
  instance: () => Promise<Instance>,
): Mount {
  return async (request, reply, { expectedSession, isForProgram, also } = {}) => {
    const { provider, run } = await instance()
    const work = beginWork(request, reply)
    work.expectedSession = expectedSession
    work.sessionId = expectedSession ?? null
    const { incoming, response } = exchangeOf(request, deps.config.baseUrl, {
      isForProgram: isForProgram === true,
    })
    response.setHeader('content-security-policy', formPostPolicy)
    const context = provider.createContext(incoming, response)
    context.respond = false
    Object.defineProperty(context, 'cookies', { value: noCookies(request) })
    try {
      await perform(deps, work, async () => {
        await run(context)
        if (work.thrown !== null) throw work.thrown
        also?.(work, context)
      })
    } catch (error) {
      if (error instanceof Replayed) {
        copyHead(response, reply)
        throw replayed(error, request)
      }
      throw refusalOf(error, isForProgram === true)
    }
    if (work.shown) {
      const { error, error_description: description = null } = work.shown
      const view = { error, description, requestId: request.id }
      const status = response.statusCode
      return sendView(reply, request, 'provider-problem', view, { status })
    }
    if (work.refusal) {
      copyHead(response, reply)
      throw work.refusal
    }
    assertNoError(reply, response, context.body, work.detail)
    return send(reply, response, context.body)
  }
}

function send(reply: FastifyReply, response: ServerResponse, body: unknown): FastifyReply {
  copyHead(response, reply)
  if (response.statusCode === 303 || body === null || body === undefined) return reply.send()
  if (typeof body === 'string') {
    const policy = response.getHeader('content-security-policy')
    if (typeof policy === 'string') reply.header('content-security-policy', policy)
    return reply.serializer(String).send(body)
  }
  return reply.header('content-type', contentTypes.json).serializer(JSON.stringify).send(body)
}

/** @throws ApiError the error of the library, so that operators see it as any refusal */
function assertNoError(
  reply: FastifyReply,
  response: ServerResponse,
  body: unknown,
  detail: string | null,
): void {
  const { statusCode } = response
  if (statusCode < 400 || typeof body !== 'object' || body === null) return
  const { error, error_description } = body as Partial<ProtocolError> // RFC 6749 section 5.2
  const problem = problemFor(statusCode, error)
  if (!problem) throw new Error(`the library answers ${statusCode} ${error}: ${error_description}`)
  copyHead(response, reply)
  throw new ApiError(problem, {
    reason: {
      code: 'application_request_refused',
      facts: { error: problem.error, why: detail ?? error_description ?? null },
    },
    ...(error_description !== undefined && { extra: { error_description } }),
  })
}

/**
 * The library sets two cookies for each request that waits for the person, and a browser keeps 180
 * for a site: the cookie of our flows binds the request instead. See interactions.ts.
 */
function noCookies({ params }: FastifyRequest) {
  const { uid } = (params ?? {}) as { uid?: string } // parsed by Fastify
  return { get: () => uid, set() {} }
}

/** As the library refuses a proof that it knows to be wrong. RFC 9449 sections 5 and 7.1 */
function replayed({ proof }: Replayed, { routeOptions }: FastifyRequest): ApiError {
  const reason = { code: 'application_proof_used' } as const
  if (proof === 'assertion') {
    const extra = { error_description: 'client authentication failed' }
    return new ApiError(clientInvalid, { reason, extra })
  }
  const options = { reason, extra: { error_description: 'DPoP proof JWT Replay detected' } }
  if (routeOptions.url !== protocolPaths.userinfo) return new ApiError(proofInvalid, options)
  const challenge = 'DPoP error="invalid_dpop_proof"'
  return new ApiError(proofRefused, { ...options, challenge })
}

function refusalOf(error: unknown, isForProgram: boolean): unknown {
  const isUsed = error instanceof AlreadyUsed
  if (!isUsed && !(error instanceof EndedMeanwhile)) return error
  const code = isUsed ? 'application_grant_used' : 'application_login_ended'
  const options = { cause: error.cause, reason: { code } } as const
  if (!isForProgram) return new ApiError('signInFailed', options)
  return new ApiError(invalidGrant, { ...options, extra: { error_description: usedUp } })
}

// The words of the library.
const usedUp = 'grant request is invalid'
