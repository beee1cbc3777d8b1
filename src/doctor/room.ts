import type { Room } from '../room/room.ts'

export const room: Room = { name: 'doctor' }
