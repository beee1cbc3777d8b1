import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import type { Account } from '../authentication/account.ts'
import { proofFail } from '../authentication/events.ts'
import type { ProofKind } from '../authentication/proof-kinds.ts'
import { createProofs, type ProofsDeps } from './proofs.ts'

const account = (more: Partial<Account> = {}) =>
  ({ userId: 7, username: 'ann', passwordHash: 'h', secondFactor: true, ...more }) as Account
const basic = { scheme: 'basic' }
const bearer = (type: string) => ({ scheme: 'bearer', claims: { jti: 't', type } })
const grantOf = (kinds: ProofKind[]) => ({ flow: { key: 'k', sealed: 's' }, kinds })

suite('proofs of the person', () => {
  /** The proofs of a request, whose steps are collected. */
  function proofsWith({
    credential = basic as object,
    grant = null as ReturnType<typeof grantOf> | null,
    hasProvider = false,
    isGrantLeft = true,
    guard = null as object | null,
  } = {}) {
    const steps: unknown[][] = []
    const counting =
      (name: string) => async (login: unknown, work: (attempt: object) => Promise<unknown>) => {
        steps.push([name, login])
        return work({ onFailure: (failure: object) => steps.push(['onFailure', failure]) })
      }
    const deps = {
      db: 'db',
      config: { baseUrl: 'https://id.example.org' },
      accounts: {
        reread: async (db: unknown, { userId }: Account) => void steps.push(['reread', db, userId]),
      },
      factors: {
        isSent: (sent: object) => 'app' in sent || 'key' in sent,
        isBothFactors: (sent: object) => 'key' in sent,
        prove: async (_account: Account, sent: object, { purpose }: { purpose: string }) =>
          void steps.push(['prove', sent, purpose]),
        wanted: async () => ({ second_factor: 'app', second_factors: ['app', 'key'] }),
      },
      grants: {
        of: async (_request: unknown, _account: unknown, change: string) => {
          steps.push(['grant', change])
          return grant
        },
        async use(db: unknown) {
          steps.push(['use', db])
          return isGrantLeft
        },
      },
      limits: { attemptCode: counting('attemptCode') },
      passkeyLimits: { attempt: counting('passkey') },
      loginAddress: () => '::1',
      requirements: { refuse: (stage: string) => steps.push(['refuse', stage]) },
      hasProvider: async () => hasProvider,
    } as unknown as ProofsDeps // what it calls
    const principal = { subject: 'user:7', credential }
    const request = { principal, guard } as unknown as FastifyRequest
    return { proofs: createProofs(deps), request, steps }
  }
  const absent =
    (proofs: string[], missing: string[], more: object = {}) =>
    (error: ApiError) => {
      assert.equal(error.row, 'confirmationRequired')
      assert.deepEqual(error.extra, { proofs, ...more })
      const facts = { user_id: 7, change: 'email', missing }
      assert.deepEqual(error.reason, { code: 'proof_absent', facts })
      return true
    }
  const several = { second_factors: ['app', 'key'] }
  const page = { confirm_url: 'https://id.example.org/account/confirm?for=email' }
  const wanted = (of: Account, sent: object = {}, more: object = {}) => ({
    ...{ account: of, change: 'email' as const, sent: { factor: {}, ...sent } },
    ...more,
  })

  test('are needed by what the account has', async () => {
    const none = { passwordHash: null, secondFactor: false }
    const rows: [Partial<Account>, boolean, ProofKind[]][] = [
      [{}, true, ['password', 'factor']],
      [{ secondFactor: false }, true, ['password']],
      [{ passwordHash: null }, true, ['factor', 'provider']],
      [none, true, ['provider']],
      [none, false, ['email']],
    ]
    for (const [more, hasProvider, needed] of rows) {
      const { proofs } = proofsWith({ hasProvider })
      assert.deepEqual(await proofs.neededOf(account(more)), needed)
    }
  })

  test('that are missing are named, and the page where only the page takes them', async () => {
    const session = { scheme: 'session', sessionId: 's' }
    const rows: [Partial<Account>, object, object, ReturnType<typeof absent>][] = [
      [{}, session, {}, absent(['password', 'app'], ['password', 'app'], several)],
      [
        {},
        session,
        { currentPassword: '' },
        absent(['password', 'app'], ['password', 'app'], several),
      ],
      [{}, session, { currentPassword: 'x' }, absent(['app'], ['app'], several)],
      [{}, session, { factor: { app: '1' } }, absent(['password'], ['password'])],
      [{}, basic, {}, absent(['app'], ['app'], several)],
      [{}, bearer('enrolment'), {}, absent(['app'], ['app'], several)],
      [{ secondFactor: false }, bearer('access'), {}, absent(['password'], ['password'])],
      [
        ...([{ secondFactor: false }, session, { factor: { key: {} } }] as const),
        absent(['password'], ['password']),
      ],
      [
        ...([{ passwordHash: null, secondFactor: false }, session, {}] as const),
        absent(['email'], ['email'], page),
      ],
      [
        ...([{ passwordHash: null }, session, {}] as const),
        absent(['app', 'email'], ['app', 'email'], { ...several, ...page }),
      ],
      [
        ...([{ passwordHash: null, secondFactor: false }, basic, {}] as const),
        absent(['email'], ['email'], page),
      ],
    ]
    for (const [more, credential, sent, refused] of rows) {
      const { proofs, request, steps } = proofsWith({ credential })
      await assert.rejects(proofs.prove(request, wanted(account(more), sent)), refused)
      assert.deepEqual(steps, [['grant', 'email']])
    }
  })

  test('of an enrolment token come from its login, and need no further one', async () => {
    for (const more of [{ passwordHash: null }, {}]) {
      const credential = bearer('enrolment')
      const { proofs, request, steps } = proofsWith({ credential })
      await proofs.prove(request, wanted(account({ secondFactor: false, ...more })))
      assert.deepEqual(steps, [['grant', 'email']])
    }
  })

  test('a code counts for the account, which is judged first', async () => {
    const { proofs, request, steps } = proofsWith()
    await proofs.prove(request, wanted(account(), { factor: { app: '1' } }))
    assert.deepEqual(steps, [
      ['grant', 'email'],
      ['attemptCode', { username: 'ann', address: '::1' }],
      ['onFailure', { event: proofFail, userId: 7 }],
      ['refuse', 'login'],
      ['onFailure', { event: null }],
      ['prove', { app: '1' }, 'proof of email by user:7 basic'],
    ])
  })

  test('a passkey is worth all, counts on its own, and is not asked for where all is given', async () => {
    const session = { scheme: 'session', sessionId: 's' }
    const { proofs, request, steps } = proofsWith({ credential: session })
    await proofs.prove(request, wanted(account(), { factor: { key: {} } }))
    assert.deepEqual(steps[1], ['passkey', { username: 'ann', address: '::1' }])
    assert.deepEqual(steps[3], ['refuse', 'passkey'])
    assert.equal(steps.at(-1)?.[0], 'prove')
    const one = proofsWith({ credential: session })
    const half = wanted(account(), { factor: { key: {} } }, { held: ['factor'] })
    await one.proofs.prove(one.request, half)
    assert.equal(one.steps.at(-1)?.[0], 'prove')
    const held = wanted(account(), { factor: { key: {} } }, { held: ['password', 'factor'] })
    const other = proofsWith({ credential: session })
    await other.proofs.prove(other.request, held)
    assert.deepEqual(other.steps, [])
  })

  test('of the page take the place of sent ones, and are used in the transaction', async () => {
    const grant = grantOf(['password', 'factor'])
    const caller: unknown[] = []
    const guard = {
      lockNames: () => ['lock'],
      now: async () => void caller.push('now'),
      authorize: async (db: unknown) => void caller.push(db),
    }
    const { proofs, request, steps } = proofsWith({ credential: bearer('access'), grant, guard })
    const made = await proofs.prove(request, wanted(account()))
    assert.deepEqual(steps.splice(0), [['grant', 'email']])
    assert.deepEqual(made?.lockNames(), ['lock'])
    await made?.now()
    await made?.authorize('trx' as never)
    assert.deepEqual(caller, ['now', 'trx'])
    assert.deepEqual(steps, [
      ...[
        ['reread', 'db', 7],
        ['reread', 'trx', 7],
        ['use', 'trx'],
      ],
    ])
    const used = proofsWith({ credential: bearer('access'), grant, isGrantLeft: false })
    const late = await used.proofs.prove(used.request, wanted(account()))
    assert.deepEqual(late?.lockNames(), [])
    const again = absent(['password', 'app'], ['password', 'app'], several)
    await assert.rejects(async () => late?.authorize('trx' as never), again)
    // The page itself holds its proofs: no grant is read or used.
    const held = proofsWith({ credential: bearer('access'), grant })
    const own = await held.proofs.prove(
      held.request,
      wanted(account(), {}, { held: ['password', 'factor'] }),
    )
    await own?.authorize('trx' as never)
    assert.deepEqual(held.steps, [['reread', 'trx', 7]])
  })
})
