import type { Caller, Reply } from './http.ts'
import { basic, bearer, cookieOf, type ServiceNode } from './node.ts'
import { waitMs } from './waiting.ts'

/** What a client was told, and what it has asked without being told. */
interface Told<State> {
  told: State
  /** Asked for, not answered: it may be so, or not. */
  asked?: State
}

type User = Told<number | 'absent'> & { readonly key: string; id?: number }
type Proof = Told<'alive' | 'ended'> & {
  readonly headers: Record<string, string>
  readonly path: string
}

export interface Comparison {
  /** Acknowledged changes that were not there any more, or came back. */
  readonly lost: string[]
  /** Changes of which a part alone was there, or that were there twice. */
  readonly half: string[]
}

/**
 * The client's side of a database: every intent and every acknowledgement, by callers that write, log
 * in and log out over HTTP. Afterwards the service is asked what it has.
 */
export class Journal {
  readonly #users = new Map<string, User>()
  readonly #ids = new Map<number, string>()
  readonly #reused: string[] = []
  #proofs: Proof[] = []
  #stopped = false
  #headers: Record<string, string> | undefined
  /** Changes that the service said it had made, and those without an answer. */
  acknowledged = 0
  unanswered = 0

  /** Writes until `stop`; answers once the last request has ended. */
  async write(node: ServiceNode, { writers = 4, logins = 2 } = {}): Promise<void> {
    this.#stopped = false
    const round = this.#users.size
    const { caller } = node
    this.#headers ??= bearer(await node.token()) // it outlives every kill
    await Promise.all([
      ...Array.from({ length: writers }, (_, n) => this.#writeUsers(caller, `w${n}r${round}`)),
      ...Array.from({ length: logins }, () => this.#logInAndOut(node)),
    ])
  }

  stop(): void {
    this.#stopped = true
  }

  /** Sessions that no caller has asked to end. */
  get sessions(): number {
    return this.#proofs.filter(({ path, asked, told }) => {
      return path === '/api/session' && told === 'alive' && asked === undefined
    }).length
  }

  /** Tokens whose end was acknowledged since the last comparison. */
  endedTokens(): Record<string, string>[] {
    return this.#proofs
      .filter(({ told, headers }) => told === 'ended' && 'authorization' in headers)
      .map(({ headers }) => headers)
  }

  /** Asks the service for all that is told of here; what was asked is told afterwards. */
  async compare({ caller }: ServiceNode): Promise<Comparison> {
    const lost: string[] = []
    const half = this.#reused.splice(0)
    const { status, body } = await caller.call('GET', '/users', { headers: basic })
    if (status !== 200) throw new Error(`no users: ${status} ${JSON.stringify(body)}`)
    const found = new Map<string, { id: number; version: number }>()
    for (const { id, name, email } of body) {
      const [, key = '', version] = /^(w\d+r\d+n\d+)v(\d+)$/.exec(name) ?? []
      if (!key) continue
      if (email !== `${name}@example.org`) half.push(`${name} is ${email}`)
      if (found.has(key)) half.push(`${key} is there twice`)
      found.set(key, { id, version: Number(version) })
    }
    for (const user of this.#users.values()) {
      const there = found.get(user.key)
      const state = there?.version ?? 'absent'
      if (!isExplained(user, state)) lost.push(`${user.key}: ${state}, told ${user.told}`)
      user.told = state
      delete user.asked
      if (there) this.#remember(user, there.id)
    }
    for (const proof of this.#proofs) {
      const { status } = await caller.call('GET', proof.path, { headers: proof.headers })
      const state = status === 200 ? 'alive' : 'ended'
      if (!isExplained(proof, state)) lost.push(`${proof.path}: ${status}, told ${proof.told}`)
      proof.told = state
    }
    this.#proofs = this.#proofs.filter(({ asked }) => asked === undefined).slice(-20)
    return { lost, half: [...half, ...this.#reused.splice(0)] }
  }

  async #writeUsers(caller: Caller, prefix: string): Promise<void> {
    const mine: User[] = []
    const headers = this.#headers ?? {}
    for (let n = 0; !this.#stopped; n += 1) {
      const old = mine.findLast((user) => user.asked === undefined && user.told !== 'absent')
      if (n % 3 === 0 || !old) {
        const user: User = { key: `${prefix}n${n}`, told: 'absent' }
        this.#users.set(user.key, user)
        mine.push(user)
        await this.#ask(user, 1, 201, () =>
          caller.call('POST', '/users', { headers, json: bodyOf(user, 1) }),
        )
      } else if (n % 3 === 1) {
        const version = Number(old.told) + 1
        await this.#ask(old, version, 200, () =>
          caller.call('PUT', `/users/${old.id}`, { headers, json: bodyOf(old, version) }),
        )
      } else if (n % 2) {
        await this.#ask(old, 'absent', 200, () =>
          caller.call('DELETE', `/users/${old.id}`, { headers }),
        )
      }
    }
  }

  async #ask(
    user: User,
    state: number | 'absent',
    success: number,
    change: () => Promise<Reply>,
  ): Promise<void> {
    user.asked = state
    const { status, body } = await change()
    if (status === success) {
      this.acknowledged += 1
      user.told = state
      delete user.asked
      if (success === 201) this.#remember(user, body.id)
    } else await this.#unanswered(status)
  }

  async #logInAndOut(node: ServiceNode): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const mode = n % 2 ? 'session' : 'token'
      const answer = await node.login(mode)
      const { status, body } = answer
      if (status !== 200) {
        await this.#unanswered(status)
        continue
      }
      this.acknowledged += 1
      const cookie = cookieOf(answer)
      const proof: Proof =
        mode === 'token'
          ? { told: 'alive', headers: bearer(body.token), path: '/api/me' }
          : {
              told: 'alive',
              headers: { cookie, 'x-csrf-token': body.csrf_token },
              path: '/api/session',
            }
      this.#proofs.push(proof)
      if (n % 4 < 2) continue
      proof.asked = 'ended'
      const out = await node.caller.call('POST', '/logout', { headers: proof.headers })
      if (out.status === 200) {
        this.acknowledged += 1
        proof.told = 'ended'
        delete proof.asked
      } else await this.#unanswered(out.status)
    }
  }

  /** Any other answer than one of a database that is away would be a mistake of the service, or of ours. */
  async #unanswered(status: number): Promise<void> {
    if (status !== 0 && status !== 503) throw new Error(`a change was answered ${status}`)
    this.unanswered += 1
    await waitMs(10)
  }

  #remember(user: User, id: number): void {
    const other = this.#ids.get(id)
    if (other !== undefined && other !== user.key) {
      this.#reused.push(`${user.key} has the id ${id} of ${other}`)
    }
    this.#ids.set(id, user.key)
    user.id = id
  }
}

/** Name and e-mail say the same, so that half a change shows. */
function bodyOf({ key }: User, version: number) {
  return { name: `${key}v${version}`, email: `${key}v${version}@example.org` }
}

function isExplained<State>({ told, asked }: Told<State>, state: State): boolean {
  return state === told || (asked !== undefined && state === asked)
}
