import { service } from './bench/service.ts'
import { meter } from './bench/processes.ts'
import { load, median } from './bench/rounds.ts'
const s = await service([], '/tmp/growth/s1m')
const cost = async (path: string) => { const t = []; for (let i = 0; i < 4; i++) { const m = meter(s); await m.count(() => load({ url: s.url + path, connections: 4, duration: 0.3, headers: s.bearer })); if (i) t.push(m.microseconds()) } return median(t) }
for (const [n, p] of [['id', '/users?'], ['-id', '/api/v2/users?sort=-id&'], ['name', '/api/v2/users?sort=name&'], ['-email', '/api/v2/users?sort=-email&'], ['posts', '/api/posts?'], ['accounts', '/api/admin/accounts?']] as const) {
  const first = await cost(p + 'limit=20&page=1')
  const deep = []
  for (const page of n === 'accounts' ? [2500, 5000] : [25000, 50000]) deep.push(await cost(p + 'limit=20&page=' + page))
  console.log(n, first.toFixed(0), deep.map((d) => `${d.toFixed(0)} us x${(d / first).toFixed(1)}`).join(', '))
}
await s.stop(); process.exit(0)
