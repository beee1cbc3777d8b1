import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { EventType } from '../src/core/events/types.ts'

const source = join(import.meta.dirname, '../src')

/** The types of events of all rooms, each name once. */
export async function eventTypes(): Promise<EventType[]> {
  const files = globSync('**/events.ts', { cwd: source }).filter(
    (file) => file !== 'core/events/events.ts',
  )
  const types: EventType[] = []
  for (const file of files.toSorted()) {
    const exported: Record<string, unknown> = await import(join(source, file))
    types.push(...Object.values(exported).filter(isEventType))
  }
  const names = types.map(({ name }) => name)
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted())
  return types
}

function isEventType(value: unknown): value is EventType {
  return typeof value === 'object' && value !== null && 'name' in value && 'level' in value
}
