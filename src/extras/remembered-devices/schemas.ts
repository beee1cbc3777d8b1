import { exactly, named, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Device } from './remembered-devices.ts'

const DeviceBody = named(
  'RememberedDevice',
  exactly({
    id: { type: 'string', description: 'A name for it, and not the cookie' },
    created_at: Time,
    last_used_at: Time,
    ends_at: Time,
    address: { type: 'string', description: 'Of the client when it was remembered' },
    user_agent: Text,
  }),
  {
    id: 'mZ1c0GQ2n5v8y3b6',
    created_at: '2026-03-02T09:15:00.000Z',
    last_used_at: '2026-03-09T08:00:00.000Z',
    ends_at: '2026-04-01T09:15:00.000Z',
    address: '203.0.113.9',
    user_agent: 'Mozilla/5.0',
  },
)

/** Newest first. */
export const DeviceList = { type: 'array', items: DeviceBody } as const

export function showDevice(device: Device) {
  return {
    id: device.handle,
    created_at: isoTime(device.createdAt),
    last_used_at: isoTime(device.lastUsedAt),
    ends_at: isoTime(device.endsAt),
    address: device.address,
    user_agent: device.userAgent,
  }
}
