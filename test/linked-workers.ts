import type { Workers } from '../src/core/workers/workers.ts'
import { shareOf, soleProcess } from '../src/core/workers/workers.ts'

/** Workers of one machine within this process: each asks the others as their primary would. */
export function linkedWorkers(count: number): Workers[] {
  const answers = Array.from({ length: count }, () => new Map<string, (data: unknown) => unknown>())
  return answers.map((own, index) => ({
    ...soleProcess,
    index,
    count,
    share: (total) => shareOf(total, { index, count }),
    askOthers: (topic, data) => {
      const others = answers.filter((other) => other !== own)
      return Promise.all(others.map(async (other) => (await other.get(topic)?.(data)) ?? null))
    },
    pollOthers: (topic, data) => {
      const others = [...answers.entries()].filter(([, other]) => other !== own)
      return Promise.all(
        others.map(async ([pid, other]) => ({
          pid,
          answer: (await other.get(topic)?.(data)) ?? null,
        })),
      )
    },
    onAsked: (topic, answer) => void own.set(topic, answer),
  }))
}
