import {
  type CommandCall,
  CommandError,
  type Terminal,
  UsageError,
} from '../../core/cli/command.ts'
import { ask, readSecret } from '../../core/cli/secrets.ts'
import { readSettings } from '../../core/config/kinds.ts'
import { settings } from './settings.ts'

/**
 * From piped standard input, else BACKUP_PASSPHRASE or its file, else typed without echo, twice if
 * `isNew`. @throws CommandError, UsageError
 */
export async function readPassphrase(
  { terminal }: Pick<CommandCall, 'terminal'>,
  { isNew }: { readonly isNew: boolean },
): Promise<string> {
  const isPiped = terminal.stdin.isTTY !== true
  const piped = isPiped ? await readSecret(terminal, 'passphrase', { mayLack: true }) : ''
  const known = piped || configuredPassphrase(terminal)
  if (known) return known
  if (isPiped) {
    throw new UsageError('standard input holds no passphrase, and BACKUP_PASSPHRASE is not set')
  }
  const questions = isNew ? ['Passphrase of the backup: ', 'Again: '] : ['Passphrase: ']
  const [first = '', ...others] = await ask(terminal, questions)
  if (others.some((other) => other !== first)) {
    throw new CommandError('the two passphrases differ: nothing was done')
  }
  return first
}

/** Ignores mistakes in other settings. @throws CommandError */
function configuredPassphrase({ env }: Terminal): string | undefined {
  const { BACKUP_PASSPHRASE } = settings
  const { values, mistakes } = readSettings({ BACKUP_PASSPHRASE }, env)
  if (mistakes.length > 0) throw new CommandError(mistakes.join())
  return values.BACKUP_PASSPHRASE?.reveal()
}
