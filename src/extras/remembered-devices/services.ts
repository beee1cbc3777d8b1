import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import { hook, service } from '../../core/module/service.ts'
import { createRememberedDevices, type RememberedDevices } from './remembered-devices.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly rememberedDevices: RememberedDevices
  }
}

export const services = [
  service({
    needs: ['keys'],
    makes: ['rememberedDevices'],
    create: (needs) => ({ rememberedDevices: createRememberedDevices(needs) }),
  }),
]

const sections: readonly ExportSection[] = [
  list({ name: 'remembered_devices', tables: ['remembered_devices'] }, async (db, userId) => {
    const rows = await db
      .selectFrom('remembered_devices')
      .select(['created_at', 'last_used_at', 'address', 'user_agent'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute()
    return rows.map(({ created_at, last_used_at, ...row }) => ({
      created_at: isoTime(created_at),
      last_used_at: isoTime(last_used_at),
      ...row,
    }))
  }),
]

export const hooks = [
  hook('signInPages', ['rememberedDevices'], ({ rememberedDevices: devices }) => ({ devices })),
  hook(
    'onAccountEnded',
    ['rememberedDevices'],
    ({ rememberedDevices }) => rememberedDevices.accountEnded,
  ),
  hook('waysIn', ['rememberedDevices'], ({ rememberedDevices }) => async (userId) => ({
    devices: (await rememberedDevices.of(userId)).length,
  })),
  hook('personSections', [], () => sections),
]
