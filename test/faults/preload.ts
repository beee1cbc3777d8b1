import type { Service } from '../../tools/service.ts'
import { waitUntil } from './waiting.ts'

/** Flags of Node that run this text, a module, before the service. */
export function preloaded(text: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(text)}`]
}

/**
 * Code that runs inside the service at the very moment when it has read so many requests of a path: a
 * test need not guess by time what a loaded machine has read.
 */
export function whenRead(path: string, count: number, code: string): string {
  return `import { subscribe } from 'node:diagnostics_channel'
    let left = ${count}
    subscribe('http.server.request.start', ({ request }) => {
      if (request.url !== '${path}') return
      left -= 1
      if (left === 0) { ${code} }
    })`
}

const mark = 'all of them are read'

/** The same for the test: it is told once all of them are read. */
export function tellsOfReading(path: string, count: number): string {
  return whenRead(path, count, `process.stderr.write('${mark}\\n')`)
}

export function untilToldOfReading({ output }: Pick<Service, 'output'>): Promise<unknown> {
  return waitUntil(mark, () => output().includes(mark))
}

/** Tells on standard error, when the process exits, how many milliseconds of CPU it has used. */
export const tellsItsCpu = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write('cpu ' + Math.round((user + system) / 1000) + ' ms\\n')
})`

export function toldCpuMs(output: string): number {
  const [, milliseconds] = /^cpu (\d+) ms$/m.exec(output) ?? []
  if (milliseconds === undefined) throw new Error(`no figure:\n${output}`)
  return Number(milliseconds)
}
