import { fileBeside, type Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'clients',
  events: fileBeside(import.meta.url, './events'),
  errors: ['invalidClient'],
  settings: ['CLIENTS_FILE'],
  parts: () => import('./parts.ts'),
}
