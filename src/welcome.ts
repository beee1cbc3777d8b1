import type { FirstAdministrator } from './accounts/bootstrap.ts'

/** What the first start prints: who may log in, and three calls to try. */
export function welcome({ username, password }: FirstAdministrator, address: string): string {
  const shown = password ?? '$ADMIN_PASSWORD'
  const told = password
    ? `password  ${password}   (shown once: keep it)`
    : 'password  as given in ADMIN_PASSWORD'
  return `
Gatehouse is ready at ${address}

  username  ${username}
  ${told}

Try:
  curl -s ${address}/api/public/status
  curl -s -u '${username}:${shown}' ${address}/users
  curl -s ${address}/login -H 'content-type: application/json' -d '{"username":"${username}","password":"${shown}"}'

`
}
