import { plural } from '../../../languages/words.ts'

export const clients = {
  title: 'Clients',
  intro:
    'Services that may ask here whether a token is active, end tokens, or read the metrics. They stand in the file of CLIENTS_FILE; a command changes it, and the service takes it up within a second.',
  caption: 'Clients and what they may do',
  id: 'Client',
  may: 'May',
  audiences: 'Audiences',
  audiencesHint: 'It learns about tokens for these services alone.',
  anyAudience: 'none',
  secrets: 'Secrets',
  secretCount: plural('en', { one: '# secret', other: '# secrets' }),
  inRotation: 'two during a rotation: retire the old one',
  permissions: {
    introspect: 'ask about tokens',
    revoke: 'end tokens',
    metrics: 'read metrics',
  },
  change: 'Change',
  renew: 'A second secret beside the first, shown once:',
  retire: 'Once the service uses it, end the first one:',
  remove: 'Remove the client:',
  command: 'the command',
  mistakes: 'The present file is not used',
  mistakesHint:
    'It has mistakes. Until it is mended, the clients below stay as they were read before. Another start fails.',
  notConfigured: 'CLIENTS_FILE is not set',
  notConfiguredHint:
    'Services that verify tokens by themselves need no client. One that asks this service about tokens does:',
  notConfiguredThen: 'Then start the service with CLIENTS_FILE naming that file.',
  empty: 'The file has no client. This adds one:',
}
