// Creates a data folder with many finished jobs, to measure the start and the responses of a server:
//   node bench/jobs-folder.mjs FOLDER [JOBS] [OWNERS]
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, jobs = '100000', owners = '20'] = process.argv.slice(2)
if (folder === undefined) throw new Error('Expected a folder')
const workspace = join(folder, 'workspace')
mkdirSync(workspace, { recursive: true })

const TOOLS = ['resize', 'convert', 'compress', 'crop', 'merge-pdf', 'trim-video', null]
const users = Array.from({ length: Number(owners) }, () => randomUUID())
const begin = Date.now() - 29 * 24 * 3_600_000
const step = (28 * 24 * 3_600_000) / Number(jobs)

for (let index = 0; index < Number(jobs); index++) {
  const id = randomUUID()
  const at = (ms) => new Date(begin + index * step + ms).toISOString()
  const toolId = TOOLS[index % TOOLS.length]
  const hasFailed = index % 10 === 9
  // Results of the first days have expired: only their records remain.
  const hasResult = !hasFailed && index % 4 === 0
  const output = { file: 'out/photo.jpg', name: 'photo.jpg', bytes: 16, mime: 'image/jpeg' }
  const record = {
    ...{ id, clientJobId: index % 2 === 0 ? `client-${index}` : null, ownerId: users[index % users.length] },
    ...{ type: toolId === null ? 'pipeline' : 'single', toolId, status: hasFailed ? 'failed' : 'completed' },
    ...{ percent: hasFailed ? 40 : 100, stage: null, createdAt: at(0), startedAt: at(10), completedAt: at(500) },
    ...{ attempts: 1, inputBytes: 250_000, outputs: hasResult ? [output] : [] },
    result: hasFailed
      ? null
      : {
          ...{ jobId: id, downloadUrl: `/api/v1/download/${id}/photo.jpg`, originalSize: 250_000, processedSize: 16 },
          steps: Array.from({ length: 3 }, (_, part) => ({ toolId: 'resize', size: 16, durationMs: part })),
        },
    error: hasFailed ? { message: 'Processing failed', code: 'PROCESSING_FAILED', status: 422 } : null,
    expiresAt: hasResult ? new Date(Date.now() + 72 * 3_600_000).toISOString() : at(1000),
  }
  mkdirSync(join(workspace, id))
  writeFileSync(join(workspace, id, 'job.json'), JSON.stringify(record))
  if (!hasResult) continue
  mkdirSync(join(workspace, id, 'out'))
  writeFileSync(join(workspace, id, 'out/photo.jpg'), 'sixteen bytes...')
}
