import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import { formats, profiles } from './run.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'verify',
    usesSettings: false,
    options: {
      profile: {
        type: 'string',
        value: 'name',
        values: profiles,
        doc: 'contract (default); decisions: also what the contract leaves open; read-only: safe requests alone, for production',
      },
      admin: {
        type: 'string',
        value: 'username',
        doc: 'an administrator without a second factor; default ADMIN_USERNAME, or admin',
      },
      'password-file': {
        type: 'string',
        value: 'file',
        doc: 'the password of the administrator; default ADMIN_PASSWORD or ADMIN_PASSWORD_FILE',
      },
      'password-stdin': { type: 'boolean', doc: 'read the password from standard input' },
      setting: {
        type: 'string',
        multiple: true,
        value: 'pair',
        doc: 'NAME=value, a setting of the service that differs from its default; again for more',
      },
      wait: {
        type: 'string',
        value: 'seconds',
        doc: 'also check rows that wait for at most this time; default 0',
      },
      only: {
        type: 'string',
        multiple: true,
        value: 'id',
        doc: 'only checks whose id begins with this text; again for more',
      },
      format: {
        type: 'string',
        value: 'name',
        values: formats,
        doc: 'text (default), json, junit',
      },
      'insecure-http': {
        type: 'boolean',
        doc: 'send passwords over plain http to another host, readable on the way',
      },
      strict: { type: 'boolean', doc: 'exit 1 also for rows that were not checked' },
      ca: {
        type: 'string',
        value: 'file',
        doc: 'an authority of your own for the certificate, PEM',
      },
    },
    example: 'verify http://127.0.0.1:3000 --password-file first-password',
    run: verify,
  },
]

async function verify(call: CommandCall): Promise<void> {
  const { parseOptions } = await import('./options.ts')
  const options = await parseOptions(call)
  const { isoTime, systemClock } = await import('../../core/lib/clock.ts')
  const { randomText, systemRandom } = await import('../../core/crypto/random.ts')
  const { shown } = await import('../../core/cli/output.ts')
  const { untilSignal } = await import('../../core/cli/signals.ts')
  const { createSend } = await import('./http.ts')
  const { assertReachable } = await import('./reachable.ts')
  const { run } = await import('./run.ts')
  const { createSecrets } = await import('./secrets.ts')
  const { junitOf, reportOf, textOfReport } = await import('./report.ts')

  const clock = call.terminal.clock ?? systemClock
  const started_at = isoTime(clock.now())
  const { send, close } = createSend(options)
  const secrets = createSecrets()
  if (options.operator) secrets.addLogin(options.operator.username, options.operator.password)
  const signal = call.terminal.stop ?? untilSignal()
  try {
    await assertReachable(send, { ...options, secrets, signal })
    const ran = await run({
      ...options,
      send,
      secrets,
      now: () => clock.now(),
      wait: (milliseconds, signal) => clock.wait(milliseconds, signal),
      randomText: (bytes) => randomText(systemRandom, bytes),
      signal,
    })
    const { profile, url } = options
    const report = reportOf(ran, { url: url.href.replace(/\/$/, ''), profile, started_at })
    call.output.text(
      options.format === 'json'
        ? `${JSON.stringify(report)}\n`
        : options.format === 'junit'
          ? junitOf(report)
          : `${textOfReport(report, shown)}\n`,
    )
    assertRight(report, ran.isBrokenOff, options.isStrict)
  } finally {
    close()
  }
}

function assertRight(
  { failed, left, not_checked }: { failed: number; left: readonly string[]; not_checked: number },
  isBrokenOff: boolean,
  isStrict: boolean,
): void {
  if (isBrokenOff) {
    const rest =
      left.length === 0 ? 'the data of the run is removed' : 'data is left: see the report'
    throw new CommandError(`broken off: ${rest}`, exitCodes.interrupted.code)
  }
  if (failed > 0) throw new CommandError('the service differs from the contract: see the report')
  if (left.length > 0) throw new CommandError('not all data of the run could be removed')
  if (isStrict && not_checked > 0) throw new CommandError('not every row was checked')
}
