import { readFileSync } from 'node:fs'
import { treeOf } from './machine.ts'

/** Memory of a process and its descendants in megabytes (10^6 bytes). */
export function memoryOfTree(pid: number): { rss: number; pss: number } {
  const sum = { rss: 0, pss: 0 }
  for (const each of treeOf(pid)) {
    const rollup = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8')
    const read = (name: string) =>
      (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(rollup)?.[1]) * 1024) / 1e6
    sum.rss += read('Rss')
    sum.pss += read('Pss')
  }
  return sum
}
