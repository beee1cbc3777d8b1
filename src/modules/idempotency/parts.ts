import type { RoomParts } from '../../core/module/room.ts'
import type { Idempotency } from './idempotency.ts'

export interface Needs {
  readonly idempotency: Idempotency
}

export const parts: RoomParts<Needs> = {
  jobs: ({ idempotency }) => [{ name: 'idempotency keys', purge: idempotency.purge }],
}
