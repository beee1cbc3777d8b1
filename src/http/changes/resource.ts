import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ErrorRow } from '../../kernel/errors.ts'
import type { Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'
import { ifMatch, type Precondition } from './entity-tag.ts'
import { type StillAllowed, stillAllowed } from './still-allowed.ts'

/** How the thing that a path names is found. */
export interface ResourceOptions<Thing extends object> {
  /** The parameter of the path that names it: `id` for `/users/:id`. */
  readonly param: string
  /** The refusal where there is none. */
  readonly missing: ErrorRow
  /** Reads it; null where there is none, or the text can be the name of none. */
  load(text: string): Thing | null | Promise<Thing | null>
  /** What a rule may ask of it, or of one that does not exist; absent where no rule asks. */
  facts?(thing: Thing | null, rule: Rule): Resource | Promise<Resource>
  /** As callers see it, which is what its ETag is made of; absent: as it is. */
  show?(thing: Thing): object
}

/**
 * The resource of a route. `access` reads it once, after the caller is authenticated and before the
 * body comes; the handler takes it from here, with its type.
 */
export interface ResourceLoader<Thing extends object> extends ResourceOptions<Thing> {
  /** As it was read for this request. @throws Error where the route does not declare it */
  of(request: FastifyRequest): Thing
  /** How the request may change it. @throws Error where the route does not declare it */
  changeBy(request: FastifyRequest): ChangeConditions<Thing>
}

/** What a change of one thing depends on, besides its rule. */
export interface ChangeConditions<Thing> {
  /** The thing as it was read before; absent: it is read in the transaction. */
  readonly seen?: Thing
  /** What the caller demands of the thing as it is when it is changed. */
  readonly isWanted?: Precondition<Thing> | undefined
  /** Judges the caller in the transaction of the change; absent on the command line. */
  readonly guard?: StillAllowed | undefined
}

/** What was read for a request, and what its rule asked of that. */
export interface LoadedResource {
  readonly loader: ResourceOptions<object>
  readonly thing: object | null
  /** What the rule was asked with; undefined while it was not asked. */
  facts: Resource | undefined
  /** Set by `changeBy`, so that a change which forgot a precondition is caught. */
  isConditionAsked: boolean
}

/** Makes the loader of a resource, for the `config` of its routes. */
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
      return loaded.thing as Thing // what its own `load` answered, and not null: `access` has seen to it
    },
    changeBy(request) {
      const seen = loader.of(request)
      if (request.resource) request.resource.isConditionAsked = true
      return { seen, isWanted: ifMatch(request, options.show), guard: stillAllowed(request) }
    },
  }
  return loader
}

/** After a change of a resource. @throws Error where it succeeded and ignored an If-Match */
export async function assertConditionAsked(
  { headers, resource: loaded, routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (statusCode < 400 && headers['if-match'] !== undefined && !loaded?.isConditionAsked) {
    throw new Error(`${routeOptions.url} succeeded without asking its precondition`)
  }
  return payload
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
  if (done === null) throw new ApiError('accessDenied') // 403 comes before 412
  if (isWanted && !isWanted(current)) throw new ApiError('preconditionFailed')
  return done
}
