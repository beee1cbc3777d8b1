import type { RoomParts } from '../room/room.ts'
import { type BasicDeps, basicAuthenticator } from './authenticator.ts'

export type Needs = BasicDeps

export const parts: RoomParts<Needs> = {
  authenticators: (needs, before) => [...before, basicAuthenticator(needs)],
}
