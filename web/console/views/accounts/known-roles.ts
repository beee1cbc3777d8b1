import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { partsOf } from '../account/parts.ts'

const own = ['ADMIN', 'EDITOR', 'USER']
const knownRoles = signal<readonly string[]>(own)
let isRead = false

/** The roles of the service: its own three, and those of the setting ROLES once they are read. */
export function useKnownRoles(): readonly string[] {
  useEffect(() => {
    if (isRead) return
    isRead = true
    read().catch(() => {
      isRead = false // the next view reads them; its own three are there
    })
  }, [])
  return knownRoles.value
}

async function read(): Promise<void> {
  const values = await Promise.all(partsOf('readRoles').map((readRoles) => readRoles()))
  const more = values
    .join(' ')
    .split(/[\s,]+/)
    .filter((name) => name !== '')
  knownRoles.value = [...new Set([...own, ...more.map((name) => name.replace(/^ROLE_/, ''))])]
}
