import type { consolePage as english } from './en.ts'

export const consolePage: typeof english = {
  refusals: {
    consoleElsewhere: [
      'Die Konsole lässt sich von hier nicht öffnen',
      'CONSOLE_ADDRESSES nennt die Netze, aus denen sie geöffnet werden darf, und Ihres ist nicht darunter. Öffnen Sie sie aus einem davon, etwa über Ihr VPN. Ihr eigenes Konto finden Sie unter /account.',
    ],
  },
}
