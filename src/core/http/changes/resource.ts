import type { FastifyRequest, onSendHookHandler } from 'fastify'
import { ApiError, type ErrorRow } from '../../errors.ts'
import type { Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'
import { errorNameOf } from '../declared-error.ts'
import { ifMatch, type Precondition } from './entity-tag.ts'
import { type Reauthorization, reauthorize } from './reauthorize.ts'

/** How the resource of a path is loaded. */
export interface ResourceOptions<Thing extends object> {
  /** The parameter of the path with its name: `id` for `/users/:id`. */
  readonly param: string
  /** The error if it does not exist. */
  readonly missing: ErrorRow
  /** Reads it; null if it does not exist, also if the text is no valid name. */
  load(text: string): Thing | null | Promise<Thing | null>
  /** The facts of it, or of a missing one, that the rule uses; absent if no rule uses any. */
  facts?(thing: Thing | null, rule: Rule): Resource | Promise<Resource>
  /** The representation of which its ETag is computed; absent: the thing itself. */
  show?(thing: Thing): object
}

/**
 * The loader of a route's resource. `access` reads the resource once, after authentication and
 * before the body; the handler gets it from the loader, with its type.
 */
export interface ResourceLoader<Thing extends object> extends ResourceOptions<Thing> {
  /** The resource as read for this request. @throws Error if the route does not declare it */
  of(request: FastifyRequest): Thing
  /** The conditions of a change by this request. @throws Error if the route does not declare it */
  changeBy(request: FastifyRequest): ChangeConditions<Thing>
}

/** The conditions of a change, besides its rule. */
export interface ChangeConditions<Thing> {
  /** The resource as it was read before; if absent, the transaction reads it. */
  readonly seen?: Thing
  /** The precondition of the request. */
  readonly isWanted?: Precondition<Thing> | undefined
  /** Reauthorizes the caller in the transaction of the change; absent on the command line. */
  readonly guard?: Reauthorization | undefined
}

/** The resource that was read for a request, and the facts for its rule. */
export interface LoadedResource {
  readonly loader: ResourceOptions<object>
  readonly thing: object | null
  /** The facts to which the rule was applied; undefined before. */
  facts: Resource | undefined
  /** Set by `changeBy`, to detect a handler that ignores the precondition. */
  isConditionAsked: boolean
}

/** Creates the loader of a resource, for the `config` of its routes. */
export function resource<Thing extends object>(
  options: ResourceOptions<Thing>,
): ResourceLoader<Thing> {
  const loader: ResourceLoader<Thing> = {
    ...options,
    of(request) {
      const loaded = request.resource
      if (loaded?.loader !== loader) {
        throw new Error(
          `${request.routeOptions.url} does not declare the resource that it asks for`,
        )
      }
      return loaded.thing as Thing // the answer of `load`; `access` has refused null
    },
    changeBy(request) {
      const seen = loader.of(request)
      if (request.resource) request.resource.isConditionAsked = true
      return { seen, isWanted: ifMatch(request, options.show), guard: reauthorize(request) }
    },
  }
  return loader
}

/** Asserts, after a handler, that it used If-Match. @throws Error if it succeeded without */
export const assertConditionAsked: onSendHookHandler = (request, reply, payload, done) => {
  const isAsked = request.resource?.isConditionAsked ?? false
  if (reply.statusCode < 400 && request.headers['if-match'] !== undefined && !isAsked) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its precondition`)
  }
  done(null, payload)
}

/** Asserts, after a handler, that the rule was applied to the resource. @throws Error if not */
export const assertRuleAsked: onSendHookHandler = (request, reply, payload, done) => {
  if (reply.statusCode < 400 && request.resource?.facts === undefined) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its rule`)
  }
  done(null, payload)
}

/** The two steps of a change inside its transaction. */
export interface ChangeOf<Thing, Done> {
  /** Reads the thing and locks its row until the transaction ends. */
  lock(): Promise<Thing | null>
  /**
   * Writes a change of `as`. Unless `isLocked`, `as` was read before the transaction: the answer is
   * null if the row has changed since in a way that the answer would show. Null also if the rule
   * denies the change.
   */
  write(as: Thing, isLocked: boolean): Promise<Done | null>
}

/**
 * Compares and sets: changes a thing as the request has read it, and reads it again only if it has
 * changed meanwhile. Null if the thing was deleted meanwhile.
 * @throws ApiError accessDenied if the rule denies the change of the thing as it is now;
 * preconditionFailed
 */
export async function changeAsSeen<Thing, Done>(
  { seen, isWanted }: Pick<ChangeConditions<Thing>, 'seen' | 'isWanted'>,
  { lock, write }: ChangeOf<Thing, Done>,
): Promise<Done | null> {
  if (seen !== undefined && (!isWanted || isWanted(seen))) {
    const done = await write(seen, false)
    if (done !== null) return done
  }
  const current = await lock()
  if (current === null) return null
  const done = await write(current, true)
  if (done === null) {
    throw new ApiError('accessDenied', { reason: { code: 'resource_rule_now' } }) // before 412
  }
  if (isWanted && !isWanted(current)) throw preconditionFailed()
  return done
}

/** The resource that the path names does not exist. */
export function resourceAbsent({ missing }: Pick<ResourceOptions<object>, 'missing'>): ApiError {
  return new ApiError(missing, {
    reason: { code: 'resource_absent', facts: { resource: errorNameOf(missing) } },
  })
}

/** If-Match does not name the resource as it is now. RFC 9110 section 13.1.1. */
export function preconditionFailed(): ApiError {
  return new ApiError('preconditionFailed', { reason: { code: 'etag_differs' } })
}

/** The resource of a request was deleted after it was read; `missing` as its loader names it. */
export function goneMeanwhile(missing: ErrorRow): ApiError {
  return new ApiError(missing, {
    reason: { code: 'resource_gone', facts: { resource: errorNameOf(missing) } },
  })
}
