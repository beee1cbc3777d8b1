import { fileBeside, type Room } from '../room/room.ts'

/** The commands of no other room. */
export const room: Room = {
  name: 'cli',
  commands: [
    { names: ['start', 'migrate'], file: fileBeside(import.meta.url, './commands/service') },
    {
      names: ['config check', 'config show'],
      file: fileBeside(import.meta.url, './commands/config'),
    },
    { names: ['routes', 'openapi'], file: fileBeside(import.meta.url, './commands/documents') },
  ],
}
