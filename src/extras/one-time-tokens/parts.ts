import type { RoomParts } from '../../core/module/room.ts'
import type { Confirmations } from './confirmations.ts'

export interface Needs {
  readonly confirmations: Pick<Confirmations, 'purge'>
}

export const parts: RoomParts<Needs> = {
  jobs: ({ confirmations }) => [{ name: 'expired confirmations', purge: confirmations.purge }],
}
