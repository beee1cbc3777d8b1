import { parentPort, workerData } from 'node:worker_threads'
import type { Load, Target } from './load.ts'

/** The input of the thread that sends a load, so that the load does not delay the measurement. */
export interface SendOptions {
  readonly file: string
  readonly name: string
  readonly target: Target
  readonly seconds: number
}

const { file, name, target, seconds }: SendOptions = workerData
const { loads }: { readonly loads: readonly Load[] } = await import(file)
const load = loads.find((each) => each.name === name)
if (!load) throw new Error(`no load ${name} in ${file}`)
parentPort?.postMessage(await load.run(target, seconds))
