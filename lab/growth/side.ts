import { type Caller, callerOf } from '../../test/faults/http.ts'
import { residentMegabytes } from '../bench/processes.ts'
import { type Service, service } from '../bench/service.ts'
import { type Seeded, seed } from './seed.ts'
import { type DatabaseName, emptyStore, type Store } from './store.ts'
import { print } from './table.ts'

export interface Side {
  readonly store: Store
  readonly seeded: Seeded
  readonly service: Service
  readonly caller: Caller
  /** Users that requests have created, for requests that remove users. */
  readonly made: number[]
}

// All callers have one address; tokens outlive the longest run and are valid at all nodes; long
// queries are measured and not cut off.
const settings = {
  LOGIN_TOKEN_SECONDS: '86400',
  LOGIN_IP_ATTEMPTS: '0',
  DATABASE_TIMEOUT_MS: '10000',
  TOKEN_ISSUER: 'https://growth.example.org',
}

export async function openSide(name: DatabaseName, users: number): Promise<Side> {
  const store = await emptyStore(name)
  const empty = await startNode(store)
  await empty.stop()
  const beganAt = performance.now()
  const seeded = await seed(store, users)
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(0)
  const size = megabytes(await store.bytes())
  const startedAt = performance.now()
  const running = await startNode(store)
  const startMs = (performance.now() - startedAt).toFixed(0)
  print(
    `${name}, ${users} users: ${size} MB on disk, seeded in ${seconds} s; the service starts and answers a login within ${startMs} ms`,
  )
  const largest = (await store.largest()).map(({ name, bytes }) => `${name} ${megabytes(bytes)}`)
  if (largest.length > 0) print(`  of which MB with indexes: ${largest.join(', ')}`)
  return { store, seeded, service: running, caller: callerOf(running.url), made: [] }
}

export function startNode(store: Store, more: Record<string, string> = {}): Promise<Service> {
  return service([], store.directory, { ...store.settings, ...settings, ...more })
}

export async function leaveSide({ store, seeded, service, caller }: Side): Promise<void> {
  const { now, peak } = residentMegabytes(service.pid)
  print(
    `${store.name}, ${seeded.users} users: ${now.toFixed(0)} MB resident, at most ${peak.toFixed(0)} MB`,
  )
  caller.close()
  await service.stop()
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
