import type { Context } from 'oidc-provider'
import { ApiError } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import { idOf } from './adapter.ts'
import { deviceGrant } from './client-metadata.ts'
import { pollTooEarly } from './problems.ts'
import { createSealing } from './storage.ts'
import { artifactStore } from './store.ts'
import type { ProtocolError, Work } from './work.ts'

interface Polls {
  /** Of the latest request; epoch milliseconds. */
  readonly at: number
  /** What the device must wait between two requests, in seconds. */
  readonly interval: number
}

// RFC 8628 sections 3.2 and 3.5
const firstInterval = 5
const increase = 5

/**
 * Records each poll of a device that waits for the decision, in the commit of the request. A poll
 * before the end of the interval is refused with slow_down, and the interval grows. The interval is
 * a row, so that all nodes share it.
 */
export function createDevicePolls(deps: Pick<Needs, 'clock' | 'keys' | 'random'>) {
  const sealing = createSealing(deps)

  return (work: Work, { body, oidc: { params } }: Context): void => {
    const { error } = (body ?? {}) as Partial<ProtocolError> // RFC 6749 section 5.2
    if (params.grant_type !== deviceGrant || error !== 'authorization_pending') return
    const code = params.device_code ?? ''
    const device = work.rows.get(idOf('DeviceCode', code))
    if (!device) return
    const id = idOf('DevicePolls', code)
    work.writes.push(async (trx) => {
      const store = artifactStore(trx)
      const at = deps.clock.now()
      const { client, expiresAt } = device
      const none = { userId: null, sessionId: null, grantId: null, uid: null, address: '' }
      const row = (next: Polls) => {
        const sealed = sealing.seal(id, { ...next })
        return { ...none, id, kind: 'DevicePolls', client, sealed, expiresAt }
      }
      if (await store.insert(row({ at, interval: firstInterval }))) return
      const locked = await store.locked(id)
      const before = sealing.open(id, locked?.sealed ?? '') as unknown as Polls // as written here
      const isEarly = at < before.at + before.interval * 1000
      const interval = before.interval + (isEarly ? increase : 0)
      await store.upsert([row({ at, interval })])
      if (isEarly) work.refusal = new ApiError(pollTooEarly, refusal)
    })
  }
}

const refusal = {
  reason: { code: 'device_polls_too_often' },
  extra: { error_description: 'the device must wait 5 seconds more between two requests' },
} as const
