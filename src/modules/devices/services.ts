import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { hook, service } from '../../core/module/service.ts'
import { createDevices, type Devices } from './devices.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly devices: Devices
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['devices'],
    create: (needs) => ({ devices: createDevices(needs) }),
  }),
]

export const hooks = [
  hook('onSignedIn', ['devices'], ({ devices }) => devices.signedIn),
  hook('personSections', [], () => sections),
]

const sections: readonly ExportSection[] = [
  list({ name: 'devices', tables: ['known_devices'] }, async (db, userId) => {
    const rows = await db
      .selectFrom('known_devices')
      .select(['first_seen_at', 'last_seen_at'])
      .where('user_id', '=', userId)
      .orderBy('first_seen_at')
      .execute()
    return rows.map((row) => ({
      first_seen_at: isoTime(row.first_seen_at),
      last_seen_at: isoTime(row.last_seen_at),
    }))
  }),
]
