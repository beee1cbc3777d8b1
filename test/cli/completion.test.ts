import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { allCommands } from '../../src/core/cli/commands.ts'
import { completionFor, type Shell } from '../../src/core/cli/completion/completion.ts'
import { modules } from '../../src/modules.ts'
import { gatehouse } from './gatehouse.ts'

/** Lines before the cursor, which is at the end of each, and what the shell offers there. */
const cases: readonly (readonly [string, readonly string[] | RegExp])[] = [
  ['gatehouse acc', ['account']],
  ['gatehouse throttle ', ['clear', 'list']],
  ['gatehouse keys r', ['retire', 'rotate', 'rotate-master']],
  ['gatehouse help throttle c', ['clear']],
  ['gatehouse completion ', ['bash', 'fish', 'zsh']],
  ['gatehouse account add ann --role E', ['EDITOR']],
  ['gatehouse account add --role ADMIN ann --role ', ['ADMIN', 'EDITOR', 'USER']],
  ['gatehouse account roles ann USER A', ['ADMIN']],
  ['gatehouse account delete --y', ['--yes']],
  ['gatehouse account list --lo', ['--locked']],
  ['gatehouse account list --no-such', []],
  ['gatehouse shout ', []],
  ['gatehouse backup fil', ['file-1.backup']],
  ['gatehouse backup v', ['verify']],
  ['gatehouse backup verify fil', ['file-1.backup']],
]
/** No value of these is known to a shell: it offers options at most. */
const unknown = ['gatehouse account show ', 'gatehouse account add ann --email ']

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'file-1.backup'), '')
const commands = await allCommands(modules)

function scriptOf(shell: Shell): string {
  const path = join(folder, `completion.${shell}`)
  writeFileSync(path, completionFor(shell, commands))
  return path
}

const isInstalled = (shell: Shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0
const listed = (text: string) => [...new Set(text.split('\n').filter((line) => line !== ''))].sort()

suite('completion', () => {
  test('has every command and every option, in each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const { code, stdout, stderr } = await gatehouse(folder, `completion ${shell}`)
      assert.deepEqual([code, stderr, stdout], [0, '', completionFor(shell, commands)])
      for (const { name, options = {} } of commands) {
        assert.ok(stdout.includes(name), `${shell}: ${name}`)
        for (const option of Object.keys(options)) {
          const written = shell === 'fish' ? `-l ${option}` : `--${option}`
          assert.ok(stdout.includes(written), `${shell}: ${name} ${written}`)
        }
      }
    }
  })

  test('in bash', () => {
    const offered = offeredInBash([...cases.map(([line]) => line), ...unknown])
    for (const [index, [line, words]] of cases.entries()) {
      assert.deepEqual(offered[index], words, line)
    }
    for (const offers of offered.slice(cases.length)) {
      assert.ok(
        offers.every((offer) => offer.startsWith('-')),
        String(offers),
      )
    }
    const [joined] = offeredInBash(['gatehouse account add ann --role = E'])
    assert.deepEqual(joined, ['EDITOR'], '--role=E, which bash takes for three words')
  })

  // It completes at a terminal alone: here its own functions tell what they are called with.
  test('in zsh', { skip: !isInstalled('zsh') }, () => {
    const told = (line: string) => {
      const words = line.split(' ').map((word) => `'${word}'`)
      const script = `
        compdef() { }
        _describe() { print -l -- "\${(@P)4}" }
        _arguments() { print -l -- "$@" }
        source ${scriptOf('zsh')}
        words=(${words.join(' ')}); CURRENT=${words.length}; _gatehouse`
      return listed(execFileSync('zsh', ['-f', '-c', script], { cwd: folder, encoding: 'utf8' }))
    }
    const group = told('gatehouse throttle ').map((line) => line.split(':', 1)[0])
    assert.deepEqual(group, ['clear', 'list'])
    const roles = told('gatehouse account roles ann USER A')
    assert.ok(roles.includes('*:role:(USER EDITOR ADMIN)'), String(roles))
    assert.ok(roles.includes('1:username: '))
    assert.ok(told('gatehouse account delete --y').includes('--yes[do not ask]'))
    assert.ok(told('gatehouse backup fil').includes('1:file:_files'))
    const [role = ''] = told('gatehouse account add ann').filter((spec) => spec.includes('--role'))
    assert.match(role, /^\*--role=\[.*\]:value:\(USER EDITOR ADMIN\)$/)
    assert.deepEqual(told('gatehouse shout '), [])
  })

  test('in fish', { skip: !isInstalled('fish') }, () => {
    const script = scriptOf('fish')
    for (const [line, words] of cases) {
      const text = `source ${script}; complete -C '${line}'`
      const output = execFileSync('fish', ['--no-config', '-c', text], { cwd: folder })
      const offers = listed(String(output).replace(/\t.*$/gm, ''))
      assert.deepEqual(offers, words, line)
    }
  })

  /** One bash answers all lines; each ends with a word that is begun, or empty. */
  function offeredInBash(lines: readonly string[]): string[][] {
    const calls = lines.map((line) => {
      const words = line.split(' ')
      const quoted = words.map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}" end`
    })
    const script = ['set -u', `source ${scriptOf('bash')}`, ...calls].join('\n')
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
      cwd: folder,
      encoding: 'utf8',
    })
    assert.deepEqual([status, stderr], [0, ''])
    return stdout
      .split(/^end\n/m)
      .slice(0, -1)
      .map(listed)
  }
})
