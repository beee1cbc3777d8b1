import type { RoomParts } from '../../core/module/room.ts'
import { type BasicDeps, basicAuthenticator } from './authenticator.ts'

export type Needs = BasicDeps

export const parts: RoomParts<Needs> = {
  authenticators: (needs, before) => [...before, basicAuthenticator(needs)],
}
