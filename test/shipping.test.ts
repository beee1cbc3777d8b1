import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { Setting } from '../src/core/config/kinds.ts'
import { callAt } from '../src/core/hints/command-line.ts'
import { filesBesideCode } from '../tools/build.ts'
import { closureOf, launcher, loadedBy } from '../tools/image.ts'
import { loadConfig, settings } from './config.ts'
import {
  build,
  compose,
  container,
  environments,
  home,
  image,
  imageEnv,
  kubernetes,
  nodes,
  read,
  unit,
  valuesOf,
} from './shipped.ts'

const root = join(import.meta.dirname, '..')
const { version, scripts } = JSON.parse(read('package.json'))
const table: Record<string, Setting<unknown>> = settings

/** Variables of Node, of the C library and of the system, not of the service. */
const foreign = new Set(['MALLOC_ARENA_MAX', 'PATH'])

function isSetting(name: string): boolean {
  return name in table || table[name.replace(/_FILE$/, '')]?.secret === true
}

suite('what is shipped', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true }))

  for (const [way, environment] of Object.entries(environments)) {
    test(`${way}: names only settings that are, and no secret but by file`, () => {
      for (const name of Object.keys(environment)) {
        assert.ok(isSetting(name) || foreign.has(name), name)
        assert.notEqual(table[name]?.secret, true, `${name} in clear`)
      }
    })

    test(`${way}: the service accepts these settings for production`, () => {
      const given: Record<string, string> = {
        DATABASE_URL_FILE: 'postgres://gatehouse:a%20word@postgres:5432/gatehouse',
        MASTER_KEY_FILE: '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef',
        ADMIN_PASSWORD_FILE: 'seven lamps in a quiet harbour',
        BACKUP_PASSPHRASE_FILE: 'Jx4nQ0kzv7cYb2mE9sWq1A==',
        FORWARD_AUTH_FILE: read('deploy/home/forward-auth.json'),
      }
      const env: Record<string, string> = { BASE_URL: 'https://auth.example.org' }
      for (const [name, value] of Object.entries(environment)) {
        const file = join(folder, name)
        if (name in given) writeFileSync(file, given[name] ?? '', { mode: 0o600 })
        env[name] =
          name in given
            ? file
            : value.replace(
                /\$\{DOMAIN:\?[^}]*\}/,
                way === 'home' ? 'example.org' : 'auth.example.org',
              )
      }
      const config = loadConfig(env)
      assert.equal(config.environment, 'production')
      assert.equal(config.baseUrl, 'https://auth.example.org')
      assert.ok(config.http.trustedProxies.length > 0)
      assert.ok(config.masterKey || !config.database.postgres, 'it is made beside SQLite')
      assert.deepEqual(config.warnings, [])
    })
  }

  test('has the command line in the image, by the name that its hints use', () => {
    const script = join(folder, 'gatehouse')
    writeFileSync(script, launcher.replace('/app/dist/cli/main.js', join(root, 'src/cli/main.ts')))
    const { stdout } = spawnSync(process.execPath, [script, '--version'], { encoding: 'utf8' })
    assert.equal(stdout, `gatehouse ${version}\n`)
    assert.match(launcher, /^#!\/usr\/local\/bin\/node\n/, 'there is no shell, and no env')
    assert.equal(callAt('file:///app/dist/hints/command-line.js'), 'gatehouse')
  })

  test('carries one version, and no tag that moves', () => {
    const { version: node } = JSON.parse(read('tools/runtime/package.json'))
    const bases = [...valuesOf(build, 'FROM'), ...valuesOf(image, 'FROM')]
    assert.deepEqual(bases, [`node:${node}-trixie-slim AS build`, 'scratch'])
    const services = [compose, home].flatMap((file) =>
      Object.values<{ image: string }>(file.services),
    )
    const images = services.map((service) => service.image)
    for (const tagged of [...images, container.image]) {
      assert.match(tagged, /^[a-z]+:[0-9]+\.[0-9]+(\.[0-9]+)?(-[a-z]+)?$/)
    }
    for (const tagged of [
      nodes[0].image,
      nodes[1].image,
      home.services.gatehouse.image,
      container.image,
    ]) {
      assert.equal(tagged, `gatehouse:${version}`)
    }
  })

  test('starts node as `npm start` does, without a shell', () => {
    const options = (command: string) => command.match(/--\S+/g)
    const started = options(scripts.start)
    const wanted = [
      '--max-semi-space-size=4',
      '--heap-growing-percent=50',
      '--v8-pool-size=1',
      '--no-maglev',
    ]
    assert.deepEqual(started, wanted)
    assert.deepEqual(JSON.parse(valuesOf(image, 'ENTRYPOINT')[0] ?? ''), ['node', ...started])
    assert.deepEqual(JSON.parse(valuesOf(image, 'CMD')[0] ?? ''), ['dist/main.js'])
    const [execStart = ''] = unit.get('ExecStart') ?? []
    assert.deepEqual(options(execStart), started)
    assert.match(execStart, /^\/opt\/gatehouse\/\S+ .* dist\/main\.js$/)
    for (const environment of Object.values(environments)) {
      assert.match(scripts.start, new RegExp(`^MALLOC_ARENA_MAX=${environment.MALLOC_ARENA_MAX} `))
    }
  })

  test('asks for health at routes that are, at the port that is listened to', () => {
    const routes = read('docs/routes.txt')
    const http = container.ports[0]
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
      (name) => container[name].httpGet,
    )
    assert.ok(probes.every(({ port }) => port === http.name))
    const paths = [
      ...probes.map(({ path }) => path),
      /'(\/health\/[a-z]+)'/.exec(valuesOf(image, 'HEALTHCHECK')[0] ?? '')?.[1],
      /health_uri (\S+)/.exec(read('deploy/Caddyfile'))?.[1],
    ]
    const [live, ready] = ['/health/live', '/health/ready']
    assert.deepEqual(paths, [live, live, ready, ready, ready])
    for (const path of [live, ready]) assert.match(routes, new RegExp(`^GET +${path} `, 'm'))

    const port = imageEnv.PORT
    assert.deepEqual(valuesOf(image, 'EXPOSE'), [port])
    assert.equal(String(http.containerPort), port)
    assert.equal(kubernetes.Service.spec.ports[0].targetPort, http.name)
    assert.equal(kubernetes.NetworkPolicy.spec.ingress[0].ports[0].port, http.name)
    assert.deepEqual(read('deploy/Caddyfile').match(/gatehouse-\d:\d+/g), [
      `gatehouse-1:${port}`,
      `gatehouse-2:${port}`,
    ])
  })
})

suite('the image', () => {
  test('holds what was built, and nothing of what builds it', () => {
    const copied = valuesOf(image, 'COPY')
    assert.ok(copied.every((value) => value.startsWith('--from=build ')))
    assert.deepEqual(valuesOf(image, 'RUN'), [], 'there is no shell')
    const installs = valuesOf(build, 'RUN').filter((command) => command.startsWith('npm ci'))
    assert.ok(installs.every((command) => command.includes('--ignore-scripts')))
    const [folder = ''] = valuesOf(build, 'RUN').flatMap(
      (command) => /^node tools\/image\.ts (\S+)$/.exec(command)?.[1] ?? [],
    )
    assert.deepEqual(copied, [
      `--from=build ${folder}/root /`,
      `--from=build --chown=1000:1000 ${folder}/volume /`,
    ])
  })

  test('holds the packages that the bundle loads, and what these need', () => {
    const code = `import { hash } from "@node-rs/argon2"; import"node:fs"; const a = () => import("pg/lib/x");
      export { b } from './beside.js'; const c = require('@scope/name/part')`
    assert.deepEqual(loadedBy(code), ['@node-rs/argon2', 'pg', '@scope/name'])
    const lock = {
      'node_modules/a': { dependencies: { b: '1' }, optionalDependencies: { absent: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1', d: '1' } },
      'node_modules/b': { dependencies: { e: '1' } },
      'node_modules/c': { dependencies: { a: '1' } },
      'node_modules/a/node_modules/d': {},
      'node_modules/e': {},
    }
    assert.deepEqual(closureOf(['a'], lock), [
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/c',
      'node_modules/a/node_modules/d',
    ])
  })

  test('is made from files that its context lets in', () => {
    const [first, ...rest] = read('.dockerignore')
      .replace(/^#.*\n/gm, '')
      .split('\n')
    assert.equal(first, '*')
    for (const source of valuesOf(build, 'COPY').flatMap((value) =>
      value.split(' ').slice(0, -1),
    )) {
      assert.ok(rest.includes(`!${source}`), source)
      assert.ok(existsSync(join(root, source)), source)
    }
  })

  test('has every file beside the code that the code reads: the build copies it', () => {
    const files = globSync('src/**/*.*', { cwd: root }).filter((path) => !path.endsWith('.ts'))
    assert.ok(files.includes('src/core/password-strength/words.txt'))
    assert.deepEqual(
      filesBesideCode().map((path) => `src/${path}`),
      files.toSorted(),
    )
    assert.equal(scripts.build, 'node tools/build.ts')
    assert.equal(scripts.bundle, 'node tools/bundle.ts')
    assert.ok(valuesOf(build, 'RUN').includes('npm run bundle'))
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('tools/'))
    assert.deepEqual(ignored, ['tools/*/node_modules'], 'tools import each other')
  })

  test('runs as a user that is not root, and that owns the data alone', () => {
    assert.deepEqual(valuesOf(image, 'USER'), ['1000:1000'])
    assert.deepEqual(valuesOf(image, 'VOLUME'), [imageEnv.DATA_DIR])
    const owned = valuesOf(image, 'COPY').filter((value) => value.includes('--chown'))
    assert.deepEqual(
      owned.map((value) => value.split(' ').slice(1)),
      [['--chown=1000:1000', '/image/volume', '/']],
    )
  })
})
