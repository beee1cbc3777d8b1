import { plural } from '../../../languages/words.ts'

export const doctor = {
  title: 'Doctor',
  intro:
    'What is wrong with this deployment, seen from inside: its settings, files, database, and the services that it uses. It changes nothing.',
  again: 'Check again',
  checkedAt: 'Checked',
  checks: plural('en', { one: '# check was made', other: '# checks were made' }),
  levels: {
    error: 'error',
    warning: 'warning',
    info: 'advice',
    unknown: 'unknown',
  },
  counts: {
    error: plural('en', { one: '# error', other: '# errors' }),
    warning: plural('en', { one: '# warning', other: '# warnings' }),
    info: plural('en', { one: '# piece of advice', other: '# pieces of advice' }),
    unknown: plural('en', { one: '# unknown', other: '# unknown' }),
  },
  meanings: {
    error: 'Broken, or open to an attack: mend it now.',
    warning: 'It will be broken, or a defence is weaker than it looks.',
    info: 'Advice.',
    unknown: 'The check could not be made, which is never as good as one that found nothing.',
  },
  why: 'Why it matters',
  mend: 'What mends it',
  setting: 'Setting or command',
  nginx: 'In nginx',
  caddy: 'In Caddy',
  allWell: 'Nothing was found.',
  outside: 'From outside',
  outsideHint:
    'The proxy, the certificate and the cookies are seen only from outside. Run this on any machine:',
  outsideCommand: 'the command that examines the service from outside',
  lines: 'the lines',
}
