import type { RoomSettings } from '../config/room-settings.ts'
import { settings as ours } from '../config/settings-table.ts'
import { createClaims } from './registry.ts'
import type { RoomNames } from './room.ts'

/**
 * Loads the settings tables of external rooms.
 * @throws Error if two tables name one setting, or a file exports no table
 */
export async function settingsOfRooms(rooms: readonly RoomNames[]): Promise<RoomSettings[]> {
  const claim = createClaims()
  for (const name of Object.keys(ours)) claim('setting', name, 'settings-table.ts')
  const tables: RoomSettings[] = []
  for (const { name: room, settings } of rooms) {
    if (!(settings instanceof URL)) continue
    const { settings: table } = await import(settings.href)
    if (typeof table !== 'object' || table === null) {
      throw new Error(`${settings.pathname} of the room ${room} exports no settings`)
    }
    for (const name of Object.keys(table)) claim('setting', name, room)
    tables.push({ room, table })
  }
  return tables
}
