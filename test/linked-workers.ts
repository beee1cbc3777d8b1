import type { Answers } from '../src/core/workers/peer.ts'
import type { WorkerTopics } from '../src/core/workers/topics.ts'
import type { Workers } from '../src/core/workers/workers.ts'
import { shareOf, soleProcess } from '../src/core/workers/workers.ts'

/** Workers of one machine within this process: each asks the others as their primary would. */
export function linkedWorkers(count: number): Workers[] {
  const answers = Array.from({ length: count }, (): Partial<Answers<WorkerTopics>> => ({}))
  return answers.map((own, index) => ({
    ...soleProcess,
    index,
    count,
    share: (total) => shareOf(total, { index, count }),
    pollOthers: (topic, ...data) => {
      const others = [...answers.entries()].filter(([, other]) => other !== own)
      return Promise.all(
        others.map(async ([pid, other]) => ({ pid, answer: await other[topic]?.(...data) })),
      )
    },
    onAsked(topic, answer) {
      own[topic] = answer
    },
  }))
}
