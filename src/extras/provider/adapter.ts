import { throttledAddress } from '../../core/addresses/address.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Needs } from '../../core/module/services.ts'
import type { ClientMetadata } from './client-metadata.ts'
import type { Interactions } from './interactions.ts'
import { type Adapter, createSealing, type Payload } from './storage.ts'
import { type Artifact, artifactStore, type NewArtifact } from './store.ts'
import { AlreadyUsed, type Used, type Work, type Write, workNow } from './work.ts'

export interface AdapterDeps
  extends Pick<Needs, 'clock' | 'config' | 'db' | 'keys' | 'random' | 'sessions'> {
  readonly clients: (id: string) => Promise<ClientMetadata | undefined>
  readonly interactions: Interactions
}

// Anonymous requests write these. A proof that is forgotten too early could come again.
const maxPerAddress: Readonly<Record<string, number>> = {
  ...{ PushedAuthorizationRequest: 1000, DeviceCode: 1000, ReplayDetection: 10_000 },
}
// Only a program that has shown its key has an assertion of longer.
const maxCountedSeconds = 600

export function idOf(kind: string, id: string): string {
  return digest(`${kind} ${id}`)
}

export function grantIdOf(id: string): string {
  return idOf('Grant', id)
}

/**
 * The storage of the library: digests as keys, sealed payloads, and rows that end with the account
 * and the session of the person. Writes wait for the end of the request: see work.ts.
 */
export function createAdapter(deps: AdapterDeps): (kind: string) => Adapter {
  const { clients, clock, config, db, interactions, sessions } = deps
  const sealing = createSealing(deps)
  const { byId, byUid } = artifactStore(db)
  const graceMs = config.token.refreshGraceSeconds * 1000

  return (kind) => {
    if (kind === 'Client') return only({ find: (id) => clients(id) })
    if (kind === 'Interaction') return only(interactions.adapter)
    return only({
      // Whether a proof is the first is decided at the commit.
      find: async (id) => (kind === 'ReplayDetection' ? undefined : found(idOf(kind, id))),

      findByUserCode: async (code) => opened(await byUid(idOf(`${kind} uid`, code), clock.now())),

      findByUid: async (uid) => opened(await byUid(idOf(`${kind} uid`, uid), clock.now())),

      async upsert(id, payload, seconds) {
        const work = workNow()
        const { accountId, clientId = '', grantId, userCode } = payload
        const uid = payload.uid ?? userCode
        if (kind === 'Session' && (accountId === undefined || work.sessionId === null)) return
        const key = idOf(kind, id)
        const ends = endsWithSession(kind, payload)
        const artifact = {
          ...{ id: key, kind, client: String(clientId) },
          userId: typeof accountId === 'string' ? Number(accountId) : null,
          sessionId: ends ? work.sessionId : null,
          grantId: kind === 'Grant' ? key : typeof grantId === 'string' ? grantIdOf(grantId) : null,
          uid: typeof uid === 'string' ? idOf(`${kind} uid`, uid) : null,
          address: isCounted(kind, seconds) ? throttledAddress(clientAddress(work.request)) : '',
          sealed: sealing.seal(key, payload),
          expiresAt: clock.now() + Math.ceil(seconds) * 1000, // an assertion may have parts of seconds
        }
        work.pending.set(key, payload)
        work.userId ??= artifact.userId
        if (kind === 'ReplayDetection') storeOnceLater(work, artifact)
        else storeLater(work, artifact)
      },

      async consume(id) {
        const key = idOf(kind, id)
        const used = usedBy(await found(key))
        workNow().writes.push(async (trx) => {
          const now = clock.now()
          // Of other kinds no use is forgiven, whatever clock another node has.
          const since = kind === 'RefreshToken' ? now - graceMs : Number.MAX_SAFE_INTEGER
          if (await artifactStore(trx).consume(key, { now, since })) return
          throw new AlreadyUsed(used)
        })
      },

      async destroy(id) {
        const key = idOf(kind, id)
        workNow().pending.set(key, null)
        workNow().writes.push((trx) => artifactStore(trx).remove(key))
      },

      async revokeByGrantId(grantId) {
        const key = grantIdOf(grantId)
        workNow().isReused = true
        workNow().writes.push((trx) => artifactStore(trx).removeGrant(key))
      },
    })
  }

  async function found(key: string): Promise<Payload | undefined> {
    const { pending, rows } = workNow()
    const own = pending.get(key)
    if (own !== undefined) return own ?? undefined
    const row = rows.get(key) ?? (await byId(key, clock.now()))
    if (row) rows.set(key, row)
    return opened(row)
  }

  async function opened(row: Artifact | null): Promise<Payload | undefined> {
    if (!row) return undefined
    const work = workNow()
    if (row.kind === 'Session' && !(await isLive(row.sessionId, work.expectedSession))) {
      return undefined
    }
    work.sessionId ??= row.sessionId
    work.userId ??= row.userId
    const payload = sealing.open(row.id, row.sealed)
    return isUsed(row) ? { ...payload, consumed: row.consumedAt } : payload
  }

  /** A refresh token may be used again for a moment: two tabs are one person. */
  function isUsed({ kind, consumedAt }: Artifact): boolean {
    if (consumedAt === null) return false
    return kind !== 'RefreshToken' || consumedAt <= clock.now() - graceMs
  }

  async function isLive(id: string | null, expected: string | undefined): Promise<boolean> {
    if (id === null || (expected !== undefined && id !== expected)) return false
    return (await sessions.judge(id)) !== null
  }
}

/** Of requests with the same assertion or proof, one commits. */
function storeOnceLater(work: Work, artifact: NewArtifact): void {
  const store = async (trx: DatabaseOrTransaction) => {
    const isFirst = await artifactStore(trx).insert(artifact)
    if (isFirst) await bound(trx, artifact)
    return isFirst
  }
  work.proofs.push({ proof: work.nextProof, store })
  work.nextProof = 'dpop'
}

/** Rows that the library stores one after the other are one statement. */
function storeLater(work: Work, artifact: NewArtifact): void {
  const { writes, batch } = work
  if (batch && writes.at(-1) === batch.write) return void batch.rows.set(artifact.id, artifact)
  const rows = new Map([[artifact.id, artifact]])
  const write: Write = async (trx) => {
    await artifactStore(trx).upsert([...rows.values()])
    for (const row of rows.values()) await bound(trx, row)
  }
  work.batch = { rows, write }
  writes.push(write)
}

function isCounted(kind: string, seconds: number): boolean {
  return maxPerAddress[kind] !== undefined && seconds <= maxCountedSeconds
}

async function bound(trx: DatabaseOrTransaction, row: NewArtifact): Promise<void> {
  const max = maxPerAddress[row.kind]
  if (row.address !== '' && max !== undefined) await artifactStore(trx).bound(row, max)
}

/** Only what a person wants to keep survives the sign-out. */
function endsWithSession(kind: string, payload: Payload): boolean {
  // A code lives for a minute, and knows the session for the `sid` of ID tokens.
  if (kind === 'Session' || kind === 'AuthorizationCode') return true
  if (kind === 'Grant') return !scopesOfGrant(payload).includes('offline_access')
  return payload.expiresWithSession === true
}

function scopesOfGrant({ openid }: Payload): readonly string[] {
  const { scope = '' } = (openid ?? {}) as { scope?: string } // as the library writes it
  return scope.split(' ')
}

function usedBy({ accountId, clientId, grantId }: Payload = {}): Used {
  return {
    grantId: typeof grantId === 'string' ? grantIdOf(grantId) : null,
    user_id: typeof accountId === 'string' ? Number(accountId) : null,
    client: String(clientId ?? ''),
  }
}

function only(some: Partial<Adapter>): Adapter {
  const refuse = async () => {
    throw new Error('the library stores nothing of this kind')
  }
  return {
    ...{ find: refuse, findByUid: refuse, findByUserCode: refuse, upsert: refuse },
    ...{ consume: refuse, destroy: refuse, revokeByGrantId: refuse },
    ...some,
  }
}
