import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { commandRows } from '../src/core/cli/commands.ts'
import { firstRunText } from '../src/modules/accounts/first-run.ts'
import { modules } from '../src/modules.ts'
import { freePort } from '../tools/free-port.ts'
import { startService } from '../tools/service.ts'
import { replay } from './replay.ts'
import { type CurlState, curl, matches, readSteps } from './transcript.ts'
import { missing } from './use-it/listings.ts'

const root = join(import.meta.dirname, '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const tutorial = readFileSync(join(root, 'docs/first-hour.md'), 'utf8')
/** The documents of the project, by their paths from the root. */
const documents = ['*.md', 'docs/**/*.md', 'lab/bench/*.md', 'packages/*/*.md', 'web/*.md'].flatMap(
  (pattern) => globSync(pattern, { cwd: root }),
)

suite('README and docs/first-hour.md', async () => {
  const state: CurlState = { variables: new Map(), jars: new Map() }
  const skip = missing(['bash', '--version']) || missing(['curl', '--version'])

  /** Runs the listings of a section, and compares what they print with what it shows. */
  async function replaySection(
    title: string,
    minSteps: number,
    { place = (command: string) => command, also = [] as string[], more = {} } = {},
  ) {
    const steps = readSteps(sectionOf(title))
    const ports = { '127.0.0.1:3000': await freePort(), '127.0.0.1:8080': await freePort() }
    const listens = `app.listen(${ports['127.0.0.1:8080']}, `
    const placed = steps.map(({ command }) => command.replace('app.listen(8080, ', listens))
    const commands = [...placed.map(place), ...also]
    const env = { PORT: String(ports['127.0.0.1:3000']), ...more }
    // The last command must have stopped what the others have started.
    const { outputs, errors } = skip
      ? { outputs: [], errors: skip }
      : await replay([...commands, 'wait'], ports, env)

    test(`shows ${title}`, () => assert.ok(steps.length >= minSteps))

    for (const [index, { command, output }] of steps.entries()) {
      test(command.trim().split('\n')[0] ?? '', { skip }, () => {
        const actual = outputs[index] ?? ''
        assert.ok(
          matches(actual, output, state),
          `${actual}\n  is not what docs/first-hour.md shows:\n${output}\n${errors}`,
        )
      })
    }
  }

  // A fresh folder, in place of one of this tree.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const fresh = { DATA_DIR: join(folder, 'data') }
  const place = (command: string) =>
    command
      .replaceAll(' data/mail/', ` ${fresh.DATA_DIR}/mail/`)
      .replaceAll(' gatehouse.log', ` ${folder}/gatehouse.log`)
  await replaySection('A friend signs up by mail', 1, {
    place,
    also: ['kill $GATEHOUSE'], // which the text says
    more: fresh,
  })

  test('needs four commands from nothing to the account of a friend', () => {
    const [{ command = '' } = {}] = readSteps(sectionOf('A friend signs up by mail'))
    assert.equal(command.match(/^\S/gm)?.length, 4)
  })

  await replaySection('The first hour', 18)
  await replaySection('Questions of an operator', 12)

  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8')

    test(`${document}: names only files and sections that exist`, () => {
      for (const [, path = '', section] of text.matchAll(/\]\(([^)#:\s]*)(?:#([^)]+))?\)/g)) {
        const file = path === '' ? join(root, document) : join(root, dirname(document), path)
        assert.ok(existsSync(file), path)
        if (section !== undefined) assert.ok(sectionsOf(file).includes(section), `#${section}`)
      }
    })
  }

  test('docs/README.md names every document once', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    const named = [...index.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => join('docs', path))
    const wanted = documents.filter(
      (path) => path !== 'docs/README.md' && !path.startsWith('docs/adr/'),
    )
    assert.deepEqual(named.filter((path) => path.endsWith('.md')).toSorted(), wanted.toSorted())
  })

  for (const document of [
    'README.md',
    'docs/first-hour.md',
    'docs/use-it.md',
    'docs/forward-auth.md',
    'docs/identity-providers.md',
    'packages/verify/README.md',
    'packages/client/README.md',
  ]) {
    const text = readFileSync(join(root, document), 'utf8')

    test(`${document}: a shell can read its listings`, {
      skip: missing(['bash', '--version']),
    }, () => {
      const listings = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, one = '']) => one)
      const { status, stderr } = spawnSync('bash', ['-n'], {
        input: listings.join('\n'),
        encoding: 'utf8',
      })
      assert.deepEqual([status, stderr], [0, ''])
    })
  }

  test('documents that list commands of `gatehouse` lead to how it is called', () => {
    const words = [...new Set(commandRows(modules).map(({ name }) => name.split(' ', 1)[0]))]
    const bare = new RegExp(`^(?:.*[;|&(=\\w/] *| *)gatehouse (?:${words.join('|')})\\b`, 'm')
    const listing = globSync('docs/*.md', { cwd: root }).filter((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const listings = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, one = '']) => one)
      return listings.some((one) => bare.test(one.replaceAll('-s gatehouse -- ', '')))
    })
    assert.ok(listing.includes('docs/operate.md'))
    for (const path of listing) {
      assert.ok(readFileSync(join(root, path), 'utf8').includes('(command-line.md'), path)
    }
    assert.match(readme, /^alias gatehouse='npm run -s gatehouse --'$/m)
  })

  test('names only settings that are', () => {
    const configuration = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    for (const [, name = ''] of readme.matchAll(/^\| `([A-Z_]+)`/gm)) {
      assert.ok(configuration.includes(`\`${name}\``), name)
    }
  })

  test('a first start names the file of its password, once, and three calls work with it', async () => {
    const { ADMIN_PASSWORD: _, ...env } = process.env
    const first = await startService(
      [process.execPath, 'src/main.ts'],
      env as Record<string, string>,
    )
    const printed = first.output()
    assert.ok(printed.includes(`"password_file":"${first.dataDirectory}/first-password"`))
    const password = readFileSync(join(first.dataDirectory, 'first-password'), 'utf8').trim()
    assert.ok(password.length >= 24 && !printed.includes(password))
    const banner = firstRunText(
      { username: 'admin', password },
      { address: first.url, consoleAddress: `${first.url}/admin` },
    )
    assert.equal(banner.match(/^ {2}curl /gm)?.length, 3)
    for (const [line] of banner.matchAll(/^ {2}curl .*$/gm)) {
      const command = line.trim().replaceAll('"$ADMIN_PASSWORD"', password)
      const answer = JSON.parse(await curl(command, first.url, state))
      assert.equal(answer.error, undefined)
    }
    assert.equal(await first.stop('SIGINT'), 0)
    const again = await startService([process.execPath, 'src/main.ts'], {}, first.dataDirectory)
    assert.doesNotMatch(again.output(), /password/)
    assert.ok(!again.output().includes('first administrator'))
    assert.equal(await again.stop(), 0)
    again.remove()
  })
})

/** The text of a section of the tutorial, up to the next heading. */
function sectionOf(title: string): string {
  return new RegExp(`^## ${title}\n(.*?)^## `, 'ms').exec(tutorial)?.[1] ?? ''
}

/** The anchors of the headings of a document, as GitHub makes them. */
function sectionsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}
