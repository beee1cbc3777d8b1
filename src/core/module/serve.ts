import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../http/routes/declaration.ts'
import { createClaims } from './registry.ts'
import type { Room, RoomParts } from './room.ts'

/** The parts of a room, and what of its manifest belongs to them. */
export type LoadedRoom<Needs> = RoomParts<Needs> & Pick<Room, 'name' | 'tag'>

/**
 * Loads the parts of all rooms, at once: one room after another, each would wait for files. Answers
 * them in the order of the rooms.
 */
export async function loadParts<Needs>(
  rooms: readonly Room<Needs>[],
): Promise<readonly LoadedRoom<Needs>[]> {
  const modules = await Promise.all(rooms.map((room) => room.parts?.()))
  return rooms.map((room, index) => ({ ...room, ...modules[index]?.parts }))
}

/**
 * Lists the authenticators of the rooms, in the order in which they are tried.
 * @throws Error if a scheme has two authenticators, or if a room drops a given one
 */
export function authenticatorsOf<Needs>(
  rooms: readonly LoadedRoom<Needs>[],
  needs: Needs,
): readonly Authenticator[] {
  const claim = createClaims()
  let all: readonly Authenticator[] = []
  for (const room of rooms) {
    if (!room.authenticators) continue
    const known = new Set(all.map(({ scheme }) => scheme))
    const next = room.authenticators(needs, all)
    const isWrapped = new Set<string>()
    for (const { scheme } of next) {
      // The first authenticator of a known scheme is the given one, or wraps it.
      if (known.has(scheme) && !isWrapped.has(scheme)) isWrapped.add(scheme)
      else claim('scheme', scheme, room.name)
    }
    const dropped = known.difference(isWrapped).values().next().value
    if (dropped) throw new Error(`the room ${room.name} drops the scheme ${dropped}`)
    all = next
  }
  return all
}

/**
 * Registers the routes of the rooms, each room in its own Fastify context.
 * @throws Error, at `ready`, for a route that is registered twice
 */
export function registerRoutes<Needs>(
  app: FastifyInstance,
  rooms: readonly LoadedRoom<Needs>[],
  needs: Needs,
): void {
  const claim = createClaims()
  for (const { name, routes, tag } of rooms) {
    if (!routes) continue
    app.register(async (instance) => {
      instance.addHook('onRoute', (route) => {
        for (const method of [route.method].flat()) {
          if (method === 'HEAD') continue // a copy of its GET
          claim('route', `${method} ${route.url.replace(/:\w+/g, ':')}`, name)
        }
        route.config = { module: name, ...(tag !== undefined && { tag }), ...route.config }
      })
      await routes(instance, needs)
    })
  }
}
