import { transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { removeClientAccess } from './access.ts'
import { idOf } from './adapter.ts'
import { consentStore } from './consents.ts'
import { accessesEnded } from './events.ts'
import { createSealing } from './storage.ts'
import { artifactStore } from './store.ts'

type Deps = Pick<Needs, 'clients' | 'clock' | 'db' | 'events' | 'keys' | 'random'>

// A file that is replaced on one node after the other, or by mistake, ends nothing.
const goneMs = 600_000
// Without any client, the file is empty or CLIENTS_FILE is not set: more likely a mistake.
const allGoneMs = 86_400_000
const knownClient = 'KnownClient'

/**
 * Ends consents and tokens of a client that has been in neither CLIENTS_FILE nor the database for a
 * while: another application may get its id later. The removal of a client of the database ends
 * them at once. A node whose file has the client keeps a row, so that a node with an older file ends
 * nothing.
 */
export function createRemovedClients(deps: Deps): () => Promise<void> {
  const { clients, clock, db, events } = deps
  const sealing = createSealing(deps)
  let missingSince: ReadonlyMap<string, number> = new Map()

  return async () => {
    const now = clock.now()
    const { known, missing } = await compared()
    for (const id of known) await keepKnown(id, now)
    missingSince = new Map(missing.map((id) => [id, missingSince.get(id) ?? now]))
    if (missing.length === 0) return
    const hasOthers = (await clients.list()).clients.length > 0
    for (const [id, since] of missingSince) {
      if (now - since < (hasOthers ? goneMs : allGoneMs)) continue
      if (!(await artifactStore(db).byId(keyOf(id), now))) await end(id)
    }
  }

  /** What is stored, with the clients that this node knows. */
  async function compared() {
    const stored = await Promise.all([
      consentStore(db).clients(),
      artifactStore(db).clientsOfGrants(),
    ])
    const [known, missing]: [string[], string[]] = [[], []]
    for (const id of new Set(stored.flat())) {
      const client = await clients.listed(id)
      if (client === null) missing.push(id)
      else if (client.source === 'file') known.push(id)
    }
    return { known, missing }
  }

  async function keepKnown(client: string, now: number): Promise<void> {
    const id = keyOf(client)
    if (await artifactStore(db).byId(id, now + goneMs / 2)) return
    const none = { userId: null, sessionId: null, grantId: null, uid: null, address: '' }
    const row = { ...none, id, kind: knownClient, client, sealed: sealing.seal(id, {}) }
    await transact(db, [], (trx) =>
      artifactStore(trx).upsert([{ ...row, expiresAt: now + goneMs }]),
    )
  }

  function end(client: string): Promise<void> {
    return transact(db, [], async (trx) => {
      const consents = await removeClientAccess(trx, client)
      await events.emitInTransaction(trx, accessesEnded, { client, consents })
    })
  }
}

function keyOf(client: string): string {
  return idOf(knownClient, client)
}
