import type { Challenge } from 'altcha-lib'
import { withData } from './elements.ts'

/** Solves the proof of work of each form that asks for one, on a thread of its own. */
export function solveCaptchas(): void {
  for (const [element, address] of withData('captcha')) {
    const field = element.querySelector<HTMLInputElement>('input[name="captcha"]')
    const status = element.querySelector('[role="status"]')
    const form = field?.form
    if (!field || !status || !form) continue
    const { working = '', done = '', failed = '' } = element.dataset
    status.textContent = working
    const solved = solve(address).then(
      (solution) => {
        field.value = solution
        status.textContent = done
      },
      () => {
        status.textContent = failed
      },
    )
    // One that is sent too early waits for the solution.
    form.addEventListener('submit', (event) => {
      if (field.value !== '') return
      event.preventDefault()
      const { submitter } = event
      void solved.then(() => field.value !== '' && form.requestSubmit(submitter))
    })
  }
}

/** Answers base64 of JSON, as ALTCHA's widget sends it. */
async function solve(address: string): Promise<string> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`no challenge: ${response.status}`)
  const challenge: Challenge = await response.json()
  const worker = new Worker(new URL('./captcha-worker.ts', import.meta.url), { type: 'module' })
  try {
    const solution = await new Promise((resolve, reject) => {
      worker.addEventListener('message', ({ data }) => (data ? resolve(data) : reject(new Error())))
      worker.addEventListener('error', reject)
      worker.postMessage(challenge)
    })
    return btoa(JSON.stringify({ challenge, solution }))
  } finally {
    worker.terminate()
  }
}
