import type { FastifyRequest, onSendHookHandler } from 'fastify'
import { ApiError, type ErrorRow } from '../../errors.ts'
import type { Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'
import { errorNameOf } from '../declared-error.ts'
import { ifMatch, type Precondition } from './entity-tag.ts'
import { type Reauthorization, reauthorize } from './reauthorize.ts'

export interface ResourceOptions<Thing extends object> {
  /** Path parameter: `id` for `/users/:id`. */
  readonly param: string
  readonly missing: ErrorRow
  /** Null if not found, or if the text is invalid. */
  load(text: string): Thing | null | Promise<Thing | null>
  /** Also of a missing resource; absent if no rule uses facts. */
  facts?(thing: Thing | null, rule: Rule): Resource | Promise<Resource>
  /** The representation for the ETag; default: the thing itself. */
  show?(thing: Thing): object
}

/** `access` reads the resource once, before the body; handlers use `of`. */
export interface ResourceLoader<Thing extends object> extends ResourceOptions<Thing> {
  /** @throws Error if the route does not declare the resource */
  of(request: FastifyRequest): Thing
  /** @throws Error if the route does not declare the resource */
  changeBy(request: FastifyRequest): ChangeConditions<Thing>
}

/** Conditions in addition to the rule. */
export interface ChangeConditions<Thing> {
  /** The resource as read before; absent: the transaction reads the resource. */
  readonly seen?: Thing
  readonly isWanted?: Precondition<Thing> | undefined
  /** Absent on the command line. */
  readonly guard?: Reauthorization | undefined
}

export interface LoadedResource {
  readonly loader: ResourceOptions<object>
  readonly thing: object | null
  /** Undefined until the rule was applied. */
  facts: Resource | undefined
  /** Set by `changeBy`, to detect handlers that ignore the precondition. */
  isConditionAsked: boolean
}

/** For the `config` of routes. */
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
      return loaded.thing as Thing // `access` has rejected null
    },
    changeBy(request) {
      const seen = loader.of(request)
      if (request.resource) request.resource.isConditionAsked = true
      return { seen, isWanted: ifMatch(request, options.show), guard: reauthorize(request) }
    },
  }
  return loader
}

/** @throws Error if a handler succeeded without using If-Match */
export const assertConditionAsked: onSendHookHandler = (request, reply, payload, done) => {
  const isAsked = request.resource?.isConditionAsked ?? false
  if (reply.statusCode < 400 && request.headers['if-match'] !== undefined && !isAsked) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its precondition`)
  }
  done(null, payload)
}

/** @throws Error if a handler did not apply the rule to the resource */
export const assertRuleAsked: onSendHookHandler = (request, reply, payload, done) => {
  if (reply.statusCode < 400 && request.resource?.facts === undefined) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its rule`)
  }
  done(null, payload)
}

export interface ChangeOf<Thing, Done> {
  /** Reads the thing and locks its row. */
  lock(): Promise<Thing | null>
  /**
   * Unless `isLocked`, `as` was read before the transaction: null if the row has visibly changed.
   * Null also if the rule denies the change.
   */
  write(as: Thing, isLocked: boolean): Promise<Done | null>
}

/**
 * Compare and set; reads again only after a conflict. Null if deleted.
 * @throws ApiError accessDenied if the rule denies a change of the current state;
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

export function resourceAbsent({ missing }: Pick<ResourceOptions<object>, 'missing'>): ApiError {
  return new ApiError(missing, {
    reason: { code: 'resource_absent', facts: { resource: errorNameOf(missing) } },
  })
}

/** RFC 9110 section 13.1.1. */
export function preconditionFailed(): ApiError {
  return new ApiError('preconditionFailed', { reason: { code: 'etag_differs' } })
}

/** The resource was deleted after the read. */
export function goneMeanwhile(missing: ErrorRow): ApiError {
  return new ApiError(missing, {
    reason: { code: 'resource_gone', facts: { resource: errorNameOf(missing) } },
  })
}
