/** The administrator that the first start has created. */
interface Administrator {
  readonly username: string
  /** Null if the operator has set it. */
  readonly password: string | null
}

/** The text that the first start prints: the administrator and three requests to try. */
export function firstRunText({ username, password }: Administrator, address: string): string {
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

/** Writes a text as one word of a POSIX shell, in quotes if it needs them. */
function shellWord(text: string): string {
  return /^[\w.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
