// The minimum cost of the server's architecture: a bare Fastify handler where one of two other processes calls sharp,
// and the result stays in a file until a second request downloads it. It has no accounts, limits, records or recovery.
// The difference to a handler that calls sharp itself is the price of the two processes and requests.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROCESSES = 2

if (process.send) {
  const { default: sharp } = await import('sharp')
  process.on('message', async ({ id, path, bytes, width, angle }) => {
    const picture = sharp(bytes).autoOrient()
    if (width !== undefined) picture.resize(width)
    if (angle !== undefined) picture.rotate(angle)
    const made = await picture.jpeg({ quality: 80 }).toBuffer()
    writeFileSync(`${path}.part`, made)
    renameSync(`${path}.part`, path)
    process.send({ id })
  })
  process.on('disconnect', () => process.exit())
} else {
  const { default: multipart } = await import('@fastify/multipart')
  const { default: Fastify } = await import('fastify')
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-bench-isolated-'))
  process.on('SIGTERM', () => {
    rmSync(folder, { recursive: true })
    process.exit()
  })
  const waiting = []
  const asked = new Map()
  const idle = Array.from({ length: PROCESSES }, () => {
    const child = fork(fileURLToPath(import.meta.url), [], { serialization: 'advanced' })
    child.on('message', ({ id }) => {
      idle.push(child)
      asked.get(id)()
      asked.delete(id)
      next()
    })
    return child
  })
  const next = () => {
    while (idle.length > 0 && waiting.length > 0) idle.pop().send(waiting.shift())
  }
  const app = Fastify({ bodyLimit: 50_000_000 })
  await app.register(multipart, { limits: { fileSize: 50_000_000 } })
  const answer = async (request, settings) => {
    const bytes = await (await request.file()).toBuffer()
    const id = randomUUID()
    const done = new Promise((resolve) => asked.set(id, resolve))
    waiting.push({ id, path: join(folder, id), bytes, ...settings })
    next()
    await done
    return { downloadUrl: `/download/${id}` }
  }
  app.post('/resize', (request) => answer(request, { width: Number(request.query.width ?? 320) }))
  app.post('/convert', (request) => answer(request, {}))
  app.post('/rotate', (request) => answer(request, { angle: 90 }))
  app.get('/download/:id', async (request, reply) =>
    reply.type('image/jpeg').send(await readFile(join(folder, request.params.id))),
  )
  console.log(await app.listen({ port: 0, host: '127.0.0.1' }))
}
