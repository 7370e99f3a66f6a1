import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/file/open.ts'
import { builtModule, numbersOf, startScript } from '../helpers/node-script.ts'
import { seededRandom } from '../helpers/random.ts'
import { temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const ROUNDS = 20

/** Changes the store endlessly; prints the number of each acknowledged change. */
const script = `
  import { writeFileSync, writeSync } from 'node:fs'
  import { openStore } from ${builtModule('src/store/file/open.js')}
  const [folder, source, from] = process.argv.slice(1)
  const store = await openStore(folder, { auditRetentionDays: 0 })
  let number = Number(from)
  const entry = { actorId: null, actorUsername: null, targetType: null, details: null, ipAddress: null, action: 'X' }
  const item = { ownerId: 'o', parentId: null, mimeType: 'text/plain', width: null, height: null, toolChain: [], version: 1 }
  async function change() {
    const mine = number++
    const name = String(mine)
    await store.pipelines.add({ id: name, userId: 'o', name, steps: [] })
    await store.audit.append({ ...entry, targetId: name })
    writeFileSync(source + mine, name)
    await store.library.add({ ...item, originalName: name }, source + mine)
    writeSync(1, name + '\\n')
    return change()
  }
  await Promise.all([change(), change(), change()])`

test(`a server that is killed ${ROUNDS} times loses nothing that it acknowledged`, async () => {
  const random = seededRandom()
  const acknowledged: number[] = []
  let from = 0
  for (let round = 0; round < ROUNDS; round++) {
    const child = startScript(script, [folder, join(folder, 'source-'), String(from)])
    const enough = random.between(1, 20)
    acknowledged.push(...(await numbersOf(child, (count) => count >= enough && child.kill('SIGKILL'))))
    expect(child.signalCode).toBe('SIGKILL')
    // Numbers of pending changes are not reused.
    from = Math.max(...acknowledged) + 10
    const store = await openStore(folder, { auditRetentionDays: 0 })
    const ids = new Set((await store.pipelines.ofOwner('o')).map(({ id }) => id))
    const { items } = await store.library.list({ ownerId: 'o', limit: 1e6, offset: 0 })
    const names = new Set(items.map(({ originalName }) => originalName))
    const { entries } = await store.audit.query({ page: 1, limit: 1e6 })
    const audited = new Set(entries.map(({ targetId }) => targetId))
    const lost = acknowledged.filter((id) => ![ids, names, audited].every((kept) => kept.has(String(id))))
    expect(lost).toEqual([])
    expect(store.library.damaged).toEqual([])
    for (const { id, size, originalName } of items) {
      expect(size).toBe(originalName.length)
      const { blobs, key } = await store.library.content(id)
      expect(await text(await blobs.open(key))).toBe(originalName)
    }
    await store.close()
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS)
})
