import type { Check, Person, Request, Scheme, Step } from './check.ts'
import type { Answer, Sent } from './http.ts'
import { judge } from './judge.ts'
import { fieldsOf, type People, personNames } from './people.ts'
import { type About, fill, namesIn } from './values.ts'

export interface CheckNeeds extends About {
  readonly send: (sent: Sent) => Promise<Answer>
  readonly people: People
  readonly cookieName: string
  readonly settings: Readonly<Record<string, string>>
  /** Seconds. @throws if the run is broken off */
  readonly wait: (seconds: number) => Promise<void>
}

export interface Judged {
  readonly faults: readonly string[]
  readonly answer: Answer | null
}

/** @throws NotCheckedHere, Unprepared, NoAnswer, MissingValue */
export async function runCheck(needs: CheckNeeds, check: Check): Promise<Judged> {
  try {
    const unmet = await prepare(needs, check.before ?? [])
    if (unmet !== null) return { faults: [unmet], answer: null }
    const answer = await ask(needs, check.request)
    return { faults: judge(check.expect, answer, needs.cookieName, needs), answer }
  } finally {
    await prepare(needs, check.after ?? [])
  }
}

/** Seconds that the check waits in all. */
export function waitedSeconds({ before = [] }: Check, settings: CheckNeeds['settings']): number {
  return before.reduce(
    (sum, step) => sum + ('wait' in step ? secondsOf(step.wait, settings) : 0),
    0,
  )
}

// One second more: at the exact end of the time the value may still be valid.
function secondsOf(setting: string, settings: CheckNeeds['settings']): number {
  return Number(settings[setting]) + 1
}

/** Null, or what a request did not give. Its status is not judged: it has a check of its own. */
async function prepare(needs: CheckNeeds, steps: readonly Step[]): Promise<string | null> {
  for (const step of steps) {
    if ('wait' in step) {
      await needs.wait(secondsOf(step.wait, needs.settings))
      continue
    }
    const answer = await ask(needs, step)
    for (const [name, path] of Object.entries(step.keep ?? {})) {
      const value = valueAt(answer, String(fill(path, needs)))
      if (value === undefined) {
        const was = `${answer.status} ${answer.text}`
        return `preparation: ${step.method} ${step.path} gave no ${path}: ${was}`
      }
      needs.values.set(name, value)
    }
  }
  return null
}

function valueAt(answer: Answer, path: string): unknown {
  const [place, name = ''] = path.split(' ')
  if (place === 'header') return answer.headers[name]
  if (place === 'cookie') {
    const field = answer.cookies.find((one) => one.startsWith(`${name}=`))
    return field?.slice(name.length + 1).split(';', 1)[0]
  }
  if (path === 'body') return answer.body
  return path
    .split('.')
    .reduce<unknown>((value, key) => fieldsOf({ ...answer, body: value })[key], answer.body)
}

async function ask(needs: CheckNeeds, request: Request): Promise<Answer> {
  const { people, send } = needs
  for (const name of new Set(namesIn(request))) {
    const [person = ''] = name.split('.')
    if (personNames.includes(person)) await people.make(person as Person)
  }
  const isUnsafe = !['GET', 'HEAD', 'OPTIONS'].includes(request.method)
  const [scheme, person] = (request.by?.split(' ') ?? []) as [Scheme?, Person?]
  const credential = scheme && person ? await people.headersOf(scheme, person, isUnsafe) : {}
  const { body, type } = bodyOf(needs, request)
  const own = fill(request.headers ?? {}, needs) as Record<string, string> // as they are declared
  const headers = { accept: 'application/json', ...credential, ...type, ...own }
  const path = String(fill(request.path, needs))
  return send({ method: request.method, path, headers, body })
}

function bodyOf(needs: CheckNeeds, { form, json, text }: Request) {
  if (json !== undefined) {
    return { body: JSON.stringify(fill(json, needs)), type: { 'content-type': 'application/json' } }
  }
  if (form !== undefined) {
    const filled = Object.entries(form).map(([name, value]) => [name, String(fill(value, needs))])
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return { body: new URLSearchParams(filled).toString(), type }
  }
  const type = text === undefined ? {} : { 'content-type': 'application/json' }
  return { body: text, type }
}
