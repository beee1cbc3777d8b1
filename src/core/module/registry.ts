import type { Trace } from '../database/leaving.ts'
import { type ErrorRow, errorTable } from '../errors.ts'
import type { EventType } from '../events/types.ts'
import type { RoomNames } from './room.ts'

/** Records the room that claims a name. @throws Error with both rooms if it was claimed before */
export type Claim = (kind: string, name: string, room: string) => void

export function createClaims(): Claim {
  const owners = new Map<string, string>()
  return (kind, name, room) => {
    const key = `${kind} ${name}`
    const owner = owners.get(key)
    if (owner !== undefined) {
      const places =
        owner === room ? `twice by the room ${room}` : `by the rooms ${owner} and ${room}`
      throw new Error(`the ${kind} ${name} is named ${places}`)
    }
    owners.set(key, room)
  }
}

/**
 * Asserts that no name is claimed twice by manifests. Schemes and routes are claimed when they are
 * registered, settings of a room's own table when that is loaded, and events by
 * `assertDistinctEvents`.
 * @throws Error for a name that is claimed twice, and for an error that is not valid
 */
export function assertDistinct(rooms: readonly RoomNames[]): void {
  const claim = createClaims()
  const names = new Set<string>()
  for (const room of rooms) {
    if (names.has(room.name)) throw new Error(`two rooms are named ${room.name}`)
    names.add(room.name)
    const claimAll = (kind: string, names: readonly string[] = []) => {
      for (const name of names) claim(kind, name, room.name)
    }
    claimAll(
      'table',
      room.tables?.map(({ name }) => name),
    )
    claimAll(
      'error',
      room.errors?.map((row) => errorName(row, room.name)),
    )
    claimAll('reason', Object.keys(room.reasons ?? {}))
    claimAll(
      'method',
      room.methods?.map(({ name }) => name),
    )
    claimAll(
      'request header',
      room.requestHeaders?.map(({ name }) => name.toLowerCase()),
    )
    claimAll(
      'command',
      room.commands?.flatMap(({ rows }) => rows.map(({ name }) => name)),
    )
    if (!(room.settings instanceof URL)) claimAll('setting', room.settings)
  }
}

/** A type of event, with the room that declares it. */
export interface KnownEvent extends EventType {
  readonly room: string
}

/** Asserts that no event name is claimed twice; answers all types. @throws Error otherwise */
export async function assertDistinctEvents(rooms: readonly RoomNames[]): Promise<KnownEvent[]> {
  const claim = createClaims()
  const files = rooms.flatMap(({ name, events = [] }) =>
    [events].flat().map((file) => ({ name, file })),
  )
  const all = await Promise.all(files.map(({ file }) => import(file.href)))
  return files.flatMap(({ name: room }, index) => {
    const types = Object.values<unknown>(all[index]).filter(isEventType)
    for (const { name } of types) claim('event', name, room)
    return types.map((type) => ({ ...type, room }))
  })
}

function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && 'name' in value && 'level' in value
}

/** @throws Error if an error of a room has a name of the error table, or no error status */
function errorName(row: ErrorRow, room: string): string {
  if (typeof row === 'string') return row
  if (row.name in errorTable) {
    throw new Error(`the error ${row.name} is named by the error table and by the room ${room}`)
  }
  const isError = Number.isInteger(row.status) && row.status >= 400 && row.status <= 599
  if (!isError || row.error === '') {
    throw new Error(
      `the error ${row.name} of the room ${room} has no status from 400 to 599, or no text`,
    )
  }
  return row.name
}

/** Lists the secret request headers of the rooms, which the log redacts. */
export function secretFields(rooms: readonly RoomNames[]): string[] {
  const headers = rooms.flatMap((room) => room.requestHeaders ?? [])
  return headers.flatMap(({ name, isSecret }) => (isSecret ? [name.toLowerCase()] : []))
}

/** Lists the request headers of the rooms, which CORS allows. */
export function requestHeadersOf(rooms: readonly RoomNames[]): string[] {
  return rooms.flatMap(({ requestHeaders = [] }) => requestHeaders.map(({ name }) => name))
}

/** Lists the tables from which a deleted user goes. */
export function tracesOf(rooms: readonly RoomNames[]): Trace[] {
  return rooms.flatMap(({ tables = [] }) =>
    tables.flatMap(({ name: table, key: [key = ''], person }) => {
      if (!person || typeof person.gone !== 'string') return []
      const { column, gone, inSteps = false } = person
      return [{ table, key, column, gone, inSteps }]
    }),
  )
}
