import { useState } from 'preact/hooks'
import { ApiProblem } from '../api/client.ts'
import { frameTexts } from '../frame-texts.ts'
import { wordsOf } from '../problem-words.ts'
import { LoginDeclined } from '../session/ask-for-login.ts'

/** A form that is sent by script: whether it is on its way, and what is wrong with it. */
export interface Submitted {
  readonly isBusy: boolean
  /** Empty: nothing is wrong as a whole. */
  readonly problem: string
  /** What is wrong with a field, by its name in the API. */
  fieldProblem(name: string): string | undefined
  onSubmit(event: Event): void
}

/** What was typed stays, whatever the API says. `work` sends the form. */
export function useSubmitted(work: () => Promise<void>): Submitted {
  const frame = frameTexts.use()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const details = problem instanceof ApiProblem ? problem.details : []

  async function submit(): Promise<void> {
    setBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      if (!(error instanceof LoginDeclined)) setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return {
    isBusy,
    problem: problem === null ? '' : wordsOf(problem, frame),
    fieldProblem: (name) => details.find(({ path }) => path[0] === name)?.message,
    onSubmit(event) {
      event.preventDefault()
      void submit()
    },
  }
}
