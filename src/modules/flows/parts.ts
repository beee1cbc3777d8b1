import type { RoomParts } from '../../core/module/room.ts'
import type { PageFlows } from './flows.ts'

export interface Needs {
  readonly pageFlows: Pick<PageFlows, 'purge'>
}

export const parts: RoomParts<Needs> = {
  /** Of pages and at providers alike: they share the table. */
  jobs: ({ pageFlows }) => [{ name: 'sign-ins under way', purge: pageFlows.purge }],
}
