import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { parseForwardRules } from '../src/extras/forward-auth/forward-file.ts'
import {
  compose,
  container,
  environments,
  home,
  kubernetes,
  nodes,
  pod,
  read,
  readManifests,
  unit,
} from './shipped.ts'

const exampleSecret = readManifests('deploy/kubernetes/secret.example.yaml').Secret

suite('compose.yaml', () => {
  const { proxy, postgres } = compose.services

  test('runs two nodes that can write nothing and gain nothing', () => {
    assert.deepEqual(nodes[0], nodes[1])
    for (const service of [...nodes, proxy]) assert.equal(service.read_only, true)
    for (const service of [...nodes, proxy, postgres]) {
      assert.deepEqual(service.cap_drop, ['ALL'])
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
    }
    assert.equal(nodes[0].cap_add, undefined)
    assert.equal(nodes[0].user, undefined, 'the user is the one of the image')
  })

  test('shows the proxy alone to the outside, and believes it alone', () => {
    const open = Object.keys(compose.services).filter((name) => compose.services[name].ports)
    assert.deepEqual(open, ['proxy'])
    assert.equal(nodes[0].environment.TRUST_PROXY, proxy.networks.front.ipv4_address)
    for (const name of nodes[0].networks) assert.equal(compose.networks[name].internal, true)
    assert.deepEqual(postgres.networks, ['back'])
    assert.ok(!('back' in proxy.networks))
  })

  test('waits for a healthy database, and hands out secrets as files that git never sees', () => {
    assert.equal(nodes[0].depends_on.postgres.condition, 'service_healthy')
    assert.ok(postgres.healthcheck.test.includes('pg_isready'))
    for (const { file } of Object.values<{ file: string }>(compose.secrets)) {
      assert.match(file, /^\.\/secrets\//)
    }
    assert.match(read('.gitignore'), /^secrets\/$/m)
    for (const service of [nodes[0], postgres]) {
      for (const [name, value] of Object.entries<string>(service.environment)) {
        if (!name.endsWith('_FILE')) continue
        assert.ok(service.secrets.includes(value.replace('/run/secrets/', '')), name)
      }
    }
  })
})

suite('compose.home.yaml', () => {
  const { gatehouse, proxy } = home.services

  test('has the service and the proxy of compose.yaml, with a volume in place of PostgreSQL', () => {
    const own = ['environment', 'networks', 'secrets', 'volumes']
    const others = ['depends_on', 'environment', 'networks', 'secrets', 'tmpfs', 'volumes']
    const without = (service: object, names: readonly string[]) =>
      Object.fromEntries(Object.entries(service).filter(([name]) => !names.includes(name)))
    assert.deepEqual(without(gatehouse, own), without(nodes[0], others))
    assert.deepEqual(without(proxy, others), without(compose.services.proxy, others))
    assert.deepEqual(gatehouse.volumes, [
      'data:/data',
      './backups:/backups',
      './deploy/home:/etc/gatehouse:ro',
    ])
  })

  test('shows the proxy alone to the outside, and believes it alone', () => {
    assert.deepEqual([gatehouse.ports, Array.isArray(proxy.ports)], [undefined, true])
    assert.equal(gatehouse.environment.TRUST_PROXY, proxy.networks.front.ipv4_address)
    assert.equal(home.networks.front.internal, true)
    const shared = Object.keys(proxy.networks).filter((name) => gatehouse.networks.includes(name))
    assert.deepEqual(shared, ['front'], 'the name of the service leads there alone')
  })

  test('asks with the listing of the documentation, by rules that the service accepts', () => {
    const [, listing = ''] =
      /```\n# Caddyfile\n([\s\S]*?)\n```/.exec(read('docs/forward-auth.md')) ?? []
    const [snippet = ''] = /^\(gatehouse\) \{\n.*?^\}$/ms.exec(listing) ?? []
    assert.ok(snippet.length > 1000)
    const placed = snippet.replaceAll('127.0.0.1:3000', 'gatehouse:3000')
    assert.ok(read('deploy/home/Caddyfile').includes(placed))
    const { mistakes, rules } = parseForwardRules(read('deploy/home/forward-auth.json'), [])
    assert.deepEqual([mistakes, rules.length], [[], 2])
  })
})

suite('deploy/gatehouse.service', () => {
  test('is hardened as far as V8 lets it be', () => {
    const hardened = {
      DynamicUser: 'yes',
      StateDirectory: 'gatehouse',
      ProtectSystem: 'strict',
      NoNewPrivileges: 'yes',
      CapabilityBoundingSet: '',
      MemoryDenyWriteExecute: 'no',
      LoadCredential: 'master-key:/etc/gatehouse/master-key',
    }
    for (const [key, value] of Object.entries(hardened))
      assert.deepEqual(unit.get(key), [value], key)
    assert.equal(unit.get('SystemCallFilter')?.[0], '@system-service')
  })

  test('is reloaded by what every system has', async () => {
    const [, file = '', line = ''] =
      /^(\S+) -c '(.*)'$/.exec(unit.get('ExecReload')?.[0] ?? '') ?? []
    assert.equal(file, '/bin/sh') // of an essential package; /bin/kill is of one that may be absent
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const env = { MAINPID: String(child.pid), PATH: '/nonexistent' }
    const { status, stderr } = spawnSync(file, ['-c', line], { env, encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGHUP'])
  })

  test('is understood by systemd, where there is one to ask', (t) => {
    const path = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'gatehouse.service')
    after(() => rmSync(dirname(path), { recursive: true }))
    const text = read('deploy/gatehouse.service')
    writeFileSync(path, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
    const { error, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], {
      encoding: 'utf8',
    })
    if (error) return t.skip(`systemd-analyze cannot be asked: ${error.message}`)
    // It looks at the units of the machine too, and these may have mistakes of their own.
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes('gatehouse.service')),
      [],
    )
  })
})

suite('/etc/gatehouse, as docs/deploy.md makes it', () => {
  const etc = join(mkdtempSync(join(tmpdir(), 'gatehouse-')), 'gatehouse')
  after(() => rmSync(dirname(etc), { recursive: true }))
  const certificates = 'gatehouse-tls'
  const renewed = join(dirname(etc), 'renewed')

  /** Runs the lines of a section that write there, with this user as root and as the group. */
  function follow(section: string): void {
    const text =
      new RegExp(`^## ${section}\n(.*?)^## `, 'ms').exec(read('docs/deploy.md'))?.[1] ?? ''
    const listings = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, one = '']) => one)
    const lines = listings
      .flatMap((listing) => listing.replaceAll('\\\n', '').split('\n'))
      .filter((line) => /\b(?:install|umask)\b.*\/etc\/gatehouse/.test(line))
      .map((line) =>
        line
          .replaceAll('/etc/gatehouse', etc)
          .replace(/^ *groupadd [^&]*&& /, '')
          .replaceAll(`-g ${certificates} `, ''),
      )
    assert.ok(lines.length > 0, section)
    const { status, stderr } = spawnSync('sh', ['-ec', lines.join('\n')], {
      cwd: dirname(etc),
      env: { ...process.env, RENEWED_LINEAGE: renewed },
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr], [0, ''], lines.join('\n'))
  }
  mkdirSync(renewed)
  for (const name of ['fullchain.pem', 'privkey.pem']) writeFileSync(join(renewed, name), name)

  /** The bits that let in who is neither the owner nor, unless it is their group, of the group. */
  const others = (path: string) => statSync(join(etc, path)).mode & 0o007
  const group = (path: string) => (statSync(join(etc, path)).mode & 0o070) >> 3

  test('lets the service reach its certificate, and no other user the key', () => {
    follow('systemd')
    follow('HTTPS without a proxy')
    const [{ 0: dropIn = '' } = {}] = read('docs/deploy.md').matchAll(/^```ini\n.*?^```$/gms)
    assert.ok(dropIn.includes(`SupplementaryGroups=${certificates}\n`))
    const paths = [...dropIn.matchAll(/=\/etc\/gatehouse\/(\S+)/g)].map(([, path = '']) => path)
    assert.deepEqual(paths, ['tls/fullchain.pem', 'tls/privkey.pem'])
    assert.equal(others('.'), 1, 'the service passes through it, and lists nothing')
    assert.equal(group('tls'), 5)
    assert.equal(others('tls'), 0)
    for (const path of paths) assert.deepEqual([group(path), others(path)], [4, 0], path)
  })

  test('keeps what systemd reads as root from every other user', () => {
    const [credential = ''] = unit.get('LoadCredential') ?? []
    const files = [...(unit.get('EnvironmentFile') ?? []), credential.replace(/^[^:]*:/, '')]
    for (const file of files) {
      const path = file.replace(/^\/etc\/gatehouse\//, '')
      assert.deepEqual([group(path), others(path)], [0, 0], path)
    }
    assert.match(readFileSync(join(etc, 'environment'), 'utf8'), /^BASE_URL=https:/)
  })
})

suite('deploy/kubernetes', () => {
  test('runs pods that the restricted profile admits', () => {
    assert.equal(pod.securityContext.runAsNonRoot, true)
    assert.equal(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`, '1000:1000')
    assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault')
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.equal(pod.automountServiceAccountToken, false)
    assert.ok(container.resources.requests.memory && container.resources.limits.memory)
  })

  test('always leaves a node to answer, and time to answer what was accepted', () => {
    const { replicas, strategy } = kubernetes.Deployment.spec
    assert.equal(replicas, 2)
    assert.equal(strategy.rollingUpdate.maxUnavailable, 0)
    assert.equal(kubernetes.PodDisruptionBudget.spec.minAvailable, 1)
    const drainSeconds = 10 // src/core/runtime/shutdown.ts
    const before = container.lifecycle.preStop.sleep.seconds
    assert.ok(pod.terminationGracePeriodSeconds > before + drainSeconds)
    assert.ok(Number.parseInt(nodes[0].stop_grace_period, 10) > drainSeconds)
    assert.ok(Number(unit.get('TimeoutStopSec')?.[0]) > drainSeconds)
  })

  test('selects its own pods everywhere', () => {
    const { labels } = kubernetes.Deployment.spec.template.metadata
    assert.deepEqual(kubernetes.Deployment.spec.selector.matchLabels, labels)
    assert.deepEqual(kubernetes.PodDisruptionBudget.spec.selector.matchLabels, labels)
    assert.deepEqual(kubernetes.Service.spec.selector, labels)
    assert.deepEqual(kubernetes.NetworkPolicy.spec.podSelector.matchLabels, labels)
    const { backend } = kubernetes.Ingress.spec.rules[0].http.paths[0]
    assert.equal(backend.service.name, kubernetes.Service.metadata.name)
    assert.equal(backend.service.port.name, kubernetes.Service.spec.ports[0].name)
    assert.equal(
      `https://${kubernetes.Ingress.spec.rules[0].host}`,
      environments.kubernetes?.BASE_URL,
    )
  })

  test('reads its secrets from files, whose example holds none', () => {
    const [{ mountPath }] = container.volumeMounts
    const names = Object.entries(environments.kubernetes ?? {})
      .filter(([name]) => name.endsWith('_FILE'))
      .map(([, value]) => value)
    assert.deepEqual(
      names,
      Object.keys(exampleSecret.stringData).map((key) => `${mountPath}/${key}`),
    )
    assert.equal(pod.volumes[0].secret.secretName, exampleSecret.metadata.name)
    assert.equal(pod.volumes[0].secret.defaultMode, 0o440)
    assert.deepEqual([...new Set(Object.values(exampleSecret.stringData))], ['REPLACE'])
  })
})
