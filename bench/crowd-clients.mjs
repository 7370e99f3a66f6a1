// `node bench/crowd-clients.mjs BASE KEY JOBS CLIENTS PICTURE`: concurrent clients, each of which waits for its job before
// the next. A process of its own, so that measuring beside it is not delayed. Prints the answers by status.
import { readFileSync } from 'node:fs'

const [base, key, jobs, clients, picture] = process.argv.slice(2)
const bytes = readFileSync(picture)
const statuses = {}
let left = Number(jobs)

async function client() {
  while (left-- > 0) {
    const body = new FormData()
    body.set('file', new Blob([bytes]), 'a.jpg')
    body.set('settings', '{"width":320}')
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${base}/api/v1/tools/image/resize`, { method: 'POST', body, headers })
    await answer.arrayBuffer()
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client))
console.log(JSON.stringify(statuses))
