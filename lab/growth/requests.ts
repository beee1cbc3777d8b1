import { verify } from '@node-rs/argon2'
import { median } from '../bench/report/figure.ts'
import { password, passwordHash } from './seed.ts'
import type { Side } from './side.ts'
import { type Subject, subjects } from './subjects.ts'
import { type Figure, print, startTable } from './table.ts'

const goalRatio = 1.5
const samples = 300
const warmUp = 20

export async function proveRequests(small: Side, large: Side): Promise<void> {
  const sizes = [small, large].map(({ seeded }) => String(seeded.users))
  const title = `${small.store.name}: ms of a request, by users with accounts`
  const printFigure = startTable(title, sizes, true)
  for (const subject of subjects) printFigure(await compare(subject, small, large))
  print(`  Argon2id alone: ${(await hashMs()).toFixed(1)} ms`)
}

/** Sends requests to both in turn, so that other load of the machine affects both alike. */
async function compare(subject: Subject, small: Side, large: Side): Promise<Figure> {
  const count = subject.samples ?? samples
  const [few, many]: [number[], number[]] = [[], []]
  for (let index = 0; index < count + warmUp; index += 1) {
    for (const side of index % 2 === 0 ? [small, large] : [large, small]) {
      const taken = await milliseconds(subject, side, index)
      if (index >= warmUp) (side === small ? few : many).push(taken)
    }
  }
  const values = [median(few), median(many)] as const
  return {
    what: subject.what,
    values,
    ratio: values[1] / values[0],
    ...(subject.mayGrow ? {} : { goal: subject.maxRatio ?? goalRatio }),
  }
}

async function milliseconds({ ask }: Subject, side: Side, index: number): Promise<number> {
  const { path, method = 'GET', status: wanted = 200, ...sent } = ask(side, index)
  const { status, body, milliseconds } = await side.caller.call(method, path, sent)
  if (status !== wanted) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
  if (method === 'POST' && status === 201) side.made.push(body.id)
  return milliseconds
}

async function hashMs(): Promise<number> {
  const taken: number[] = []
  for (let count = 0; count < 30; count += 1) {
    const startedAt = performance.now()
    await verify(passwordHash, password)
    taken.push(performance.now() - startedAt)
  }
  return median(taken)
}
