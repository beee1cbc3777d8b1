/** Who may log in at first. */
interface Administrator {
  readonly username: string
  /** Null where the operator gave it. */
  readonly password: string | null
}

/** What the first start prints: who may log in, and three calls to try. */
export function welcome({ username, password }: Administrator, address: string): string {
  const shown = password === null ? '"$ADMIN_PASSWORD"' : shellWord(password)
  const [url, name] = [shellWord(address), shellWord(username)]
  const told = password
    ? `password  ${password}   (shown once: keep it)`
    : 'password  as given in ADMIN_PASSWORD'
  return `
Gatehouse is ready at ${address}

  username  ${username}
  ${told}

Try:
  curl -s ${url}/api/public/status
  curl -s -u ${name}:${shown} ${url}/users
  curl -s ${url}/login -d mode=token --data-urlencode username=${name} --data-urlencode password=${shown}

`
}

/** Any text as one word of a POSIX shell; in quotes where it needs them. */
function shellWord(text: string): string {
  return /^[\w.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
