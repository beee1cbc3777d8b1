import { randomInt } from 'node:crypto'
import { bearer } from '../../test/faults/node.ts'
import { waitMs } from '../../test/faults/waiting.ts'
import { newPerson, type Person, removePerson, visitsOf, type World } from './people.ts'

export interface Lanes {
  /** What went wrong other than an answer, for instance a mail that never came. */
  readonly faults: readonly string[]
  /** Lets each person finish and leave. */
  stop(): Promise<void>
}

const count = 40

/**
 * People and programs, each in an endless loop. The number of accounts is steady: a person removes
 * the account in the end. Four regular visitors keep theirs, and leave sessions that expire.
 */
export function startLanes(world: World, { staggerMs }: { staggerMs: number }): Lanes {
  const faults: string[] = []
  let isStopped = false
  const roles = [monitor, administrator, program, regular, regular, regular, regular]
  const lanes = Array.from({ length: count }, async (_, index) => {
    const role = roles[index] ?? person(index)
    await waitMs(staggerMs * index) // otherwise all would do the same at a time
    while (!isStopped) {
      const failed = world.traffic.failures.length
      try {
        await role(world, () => isStopped)
      } catch (error) {
        // A failed request is noted already.
        if (world.traffic.failures.length === failed) faults.push(String(error))
      }
    }
  })
  return {
    faults,
    async stop() {
      isStopped = true
      await Promise.all(lanes)
    },
  }
}

type Role = (world: World, isStopped: () => boolean) => Promise<void>

/** What a person does depends on the lane, so that the share of each kind is constant. */
function person(index: number): Role {
  const isMailed = index % 4 === 0
  return async (world, isStopped) => {
    const who = await newPerson(world, isMailed)
    const visits = visitsOf(world, who)
    const all: readonly [isWanted: boolean, visit: () => Promise<void>][] = [
      [index % 3 === 0, visits.wrongLogin],
      [true, () => visits.session(index % 2 === 0)],
      [true, visits.pair],
      [true, visits.posts],
      [isMailed, visits.reset],
      [index % 3 === 1, visits.application],
      [index % 6 === 2, visits.appPassword],
      [index % 8 === 3, visits.secondFactor],
      [index % 2 === 0, visits.deleteOwn],
    ]
    try {
      for (const [isWanted, visit] of all) if (isWanted && !isStopped()) await visit()
    } finally {
      await removePerson(world, who)
    }
  }
}

/** Keeps the account for the whole run. */
async function regular(world: World, isStopped: () => boolean): Promise<void> {
  const who: Person = await newPerson(world, false)
  const visits = visitsOf(world, who)
  try {
    while (!isStopped()) {
      const failed = world.traffic.failures.length
      try {
        await visits.session(false)
        await visits.pair()
      } catch (error) {
        if (world.traffic.failures.length === failed) throw error
      }
    }
  } finally {
    await removePerson(world, who)
  }
}

/** A service account, its key, and the key after it. */
async function program(world: World): Promise<void> {
  const { traffic } = world
  const username = `program${randomInt(1e12).toString(36)}`
  const headers = await world.asAdmin()
  const path = '/api/admin/accounts'
  const account = { username, service: true, roles: ['USER'], name: 'A program of the soak' }
  const made = await traffic.ask({
    ...{ kind: 'administration', method: 'POST', path, status: 201, headers, json: account },
  })
  try {
    const keys = `${path}/${username}/keys`
    const json = { name: 'report', scopes: ['users:read', 'account:read'] }
    const add = { kind: 'administration', method: 'POST', status: 201, headers } as const
    const first = (await traffic.ask({ ...add, path: keys, json })).body
    for (let round = 0; round < 4; round += 1) await use(first.key)
    const rotate = `${keys}/${first.id}/rotate`
    const second = (await traffic.ask({ ...add, path: rotate, json: {} })).body
    for (let round = 0; round < 4; round += 1) await use(second.key)
  } finally {
    await removePerson(world, { userId: made.body.user_id })
  }

  async function use(key: string): Promise<void> {
    const read = { kind: 'read', method: 'GET', status: 200, headers: bearer(key) } as const
    await traffic.ask({ ...read, path: '/users?page=1&limit=10' })
    await traffic.ask({ ...read, path: '/api/me' })
  }
}

async function administrator({ traffic, asAdmin }: World): Promise<void> {
  const paths = [
    ...['/api/admin/audit?limit=20', '/api/admin/accounts?limit=20', '/api/admin/statistics'],
    ...['/api/admin/status', '/api/admin/webhooks/deliveries?limit=20', '/api/admin/mail?limit=20'],
    ...['/api/admin/statistics/series', '/api/admin/throttle', '/api/posts?limit=20'],
  ]
  for (const path of paths) {
    const headers = await asAdmin()
    await traffic.ask({ kind: 'administration', method: 'GET', path, status: 200, headers })
  }
}

async function monitor({ traffic, asAdmin }: World): Promise<void> {
  for (const path of ['/health/live', '/health/live', '/health/ready', '/.well-known/jwks.json']) {
    await traffic.ask({ kind: 'health', method: 'GET', path, status: 200 })
  }
  const headers = await asAdmin()
  await traffic.ask({
    kind: 'administration',
    method: 'GET',
    path: '/metrics',
    status: 200,
    headers,
  })
}
