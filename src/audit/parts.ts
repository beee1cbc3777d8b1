import type { RoomParts } from '../room/room.ts'
import { type AuditRoutesOptions, auditRoutes } from './routes.ts'

export type Needs = AuditRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(auditRoutes, needs)
  },
}
