import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { HookName, HookPoints } from '../../src/core/module/hooks.ts'
import type { Module } from '../../src/core/module/module.ts'
import { hook, type Service, service } from '../../src/core/module/service.ts'
import { userCreated } from '../../src/modules/users/events.ts'
import { modules as ours } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { waitUntil } from '../faults/waiting.ts'

/** A service of a module that no other test knows. */
function made(name: string, needs: readonly string[] = [], more: Partial<Service> = {}): Service {
  return {
    needs: needs as Service['needs'],
    hooks: [],
    makes: [name as Service['makes'][number]],
    inEachProcess: false,
    create: () => ({ [name]: name }),
    ...more,
  }
}

const moduleOf = (name: string, ...services: Service[]): Module => ({
  name,
  services: async () => ({ services }),
})

const subscribing = <Name extends HookName>(to: Name, subscriber: HookPoints[Name]): Module => ({
  name: 'subscribing',
  services: async () => ({ hooks: [hook(to, [], () => subscriber)] }),
})

suite('services that do not fit together stop the start', () => {
  const starting = (...more: Module[]) => testApp({}, { modules: [...ours, ...more] })

  test('one that no module makes', async () => {
    await assert.rejects(starting(moduleOf('first', made('one', ['db', 'absent']))), {
      message: 'the module first needs the service absent, which no module makes',
    })
  })

  test('one for a hook that no module makes', async () => {
    const needs = ['absent'] as unknown as ['keys']
    const hooks = [hook('onFactorProved', needs, () => async () => {})]
    await assert.rejects(starting({ name: 'first', services: async () => ({ hooks }) }), {
      message: 'the module first needs the service absent, which no module makes',
    })
  })

  test('those that need each other, of several modules', async () => {
    const first = moduleOf('first', made('one', ['clock', 'three']))
    const second = moduleOf('second', made('two', ['one']), made('three', ['two']))
    await assert.rejects(starting(first, second), {
      message:
        'services need each other: one (first) -> three (second) -> two (second) -> one (first)',
    })
  })

  test('one that needs itself', async () => {
    await assert.rejects(starting(moduleOf('first', made('one', ['one']))), {
      message: 'services need each other: one (first) -> one (first)',
    })
  })

  test('one with the name of a dependency', async () => {
    await assert.rejects(starting(moduleOf('first', made('db'))), {
      message: 'the service db is named by the modules core and first',
    })
  })
})

test('a service that takes what its list does not name does not compile', () => {
  // @ts-expect-error the list does not name the clock
  const take = () => service({ needs: ['db'], makes: [], create: ({ clock }) => ({ clock }) })
  assert.equal(typeof take, 'function')
})

suite('a hook', () => {
  const failing = async () => {
    throw new Error('no disk')
  }

  test('inside a transaction that throws undoes the transaction', async () => {
    const app = await testApp({}, { modules: [...ours, subscribing('onAccountEnded', failing)] })
    await app.account('ann')
    const headers = await app.bearer(app.admin)
    const before = await app.rows()
    const { status } = await app.call('DELETE', '/api/admin/accounts/ann', { headers })
    assert.equal(status, 500)
    assert.deepEqual(await app.rows(), before)
  })

  test('after a commit that throws is logged with its module, and the change is answered', async () => {
    const app = await testApp({}, { modules: [...ours, subscribing('onUserChanged', failing)] })
    const ann = await app.account('ann')
    const headers = await app.bearer(app.admin)
    const json = { name: 'Anna', email: 'anna@example.org' }
    const { status } = await app.call('PUT', `/users/${ann.userId}`, { headers, json })
    assert.equal(status, 200)
    const lines = app.log.filter(({ msg }) => msg === 'a hook failed after the commit')
    assert.deepEqual(
      lines.map(({ module, err }) => [module, (err as Error).message]),
      [['subscribing', 'no disk']],
    )
  })

  test('of several modules for one event calls all of them, in their order', async () => {
    const seen: string[] = []
    const noting = (name: string): Module => ({
      ...subscribing('onEvent', {
        wants: ({ name }) => name === userCreated.name,
        take: async () => void seen.push(name),
      }),
      name,
    })
    const app = await testApp({}, { modules: [...ours, noting('first'), noting('second')] })
    seen.length = 0
    await app.account('ann')
    assert.deepEqual(seen, ['first', 'second'])
  })
})

suite('the end of the services', () => {
  test('goes on when the services of a module hang or fail, which is logged', async () => {
    const ended: string[] = []
    const noting = (what: string) => async () => void ended.push(what)
    const last = made('last', [], { stop: noting('stop last'), close: noting('close last') })
    const hanging = made('hanging', [], { close: () => new Promise(() => {}) })
    const failing = made('failing', [], {
      stop: async () => {
        throw new Error('no disk')
      },
    })
    const first = made('first', [], { stop: noting('stop first'), close: noting('close first') })
    const app = await testApp(
      {},
      {
        modules: [
          ...ours,
          moduleOf('a', first),
          moduleOf('b', hanging),
          moduleOf('c', failing),
          moduleOf('d', last),
        ],
      },
    )
    const closed = app.app.server.close()
    await waitUntil('the bound of the module that hangs', () => app.clock.waits().includes(2))
    assert.deepEqual(ended, ['stop last', 'stop first', 'close last'])
    app.clock.advance(2)
    await closed
    assert.deepEqual(ended, ['stop last', 'stop first', 'close last', 'close first'])
    const lines = app.log.filter(({ phase }) => phase !== undefined)
    assert.deepEqual(
      lines.map(({ module, phase, msg }) => [module, phase, msg]),
      [
        ['c', 'stop', 'a module did not end as it should'],
        ['b', 'close', 'a module did not end within 2000 ms'],
      ],
    )
  })

  test('of a command is that of what it names and of what each process makes', async () => {
    const app = await testApp()
    const seen: string[] = []
    const noting = (name: string, inEachProcess: boolean) =>
      made(name, [], {
        inEachProcess,
        create: () => ({ [name]: seen.push(`make ${name}`) }),
        close: async () => void seen.push(`close ${name}`),
      })
    const more = moduleOf('first', noting('one', false), noting('two', true))
    const { code } = await gatehouse(app.directory, 'account list', { modules: [...ours, more] })
    assert.deepEqual([code, seen], [0, ['make two', 'close two']])
  })
})
