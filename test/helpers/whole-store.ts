/** A store with records of every kind, and everything that a store has, for comparisons. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Blobs } from '../../src/store/blobs.ts'
import { openAuditLog } from '../../src/store/file/audit/log.ts'
import { openStore } from '../../src/store/file/open.ts'
import type { JobFile, JobRecord } from '../../src/store/job-record.ts'
import type { Store } from '../../src/store/store.ts'

const at = (minute: number): string => new Date(Date.parse('2026-01-01T00:00:00.000Z') + minute * 60_000).toISOString()

const fileOf = (file: string, bytes: number): JobFile => ({ file, name: `ü ${file}`, bytes, mime: 'image/png' })

export const finishedJob = (minute: number, more: Partial<JobRecord> = {}): JobRecord => ({
  ...{
    id: randomUUID(),
    clientJobId: null,
    ownerId: 'u1',
    type: 'single',
    toolId: 'image/resize',
    status: 'completed',
  },
  ...{
    percent: 100,
    stage: null,
    createdAt: at(minute),
    startedAt: at(minute),
    completedAt: at(minute + 1),
    attempts: 1,
  },
  ...{ inputBytes: 5, outputs: [], result: null, error: null, expiresAt: null },
  ...more,
})

/** Names of the users of `fillStore`. */
const USERS = 230

/** Two months of the audit log, with more entries than are copied at once. */
async function fillAudit(folder: string): Promise<void> {
  let minute = 0
  const log = await openAuditLog(folder, { retentionDays: 0, now: () => Date.parse(at(minute)) })
  const about = { actorUsername: 'Ada "\u2028 é', targetType: null, targetId: null, details: { 'k€y': [1, null] } }
  for (let number = 0; number < 450; number++, minute += 130)
    await log.append({ ...about, actorId: 'u1', action: `A${number % 3}`, ipAddress: number % 2 ? '10.0.0.1' : null })
  await log.close()
}

async function fillAccounts(store: Store): Promise<void> {
  for (let number = 0; number < USERS; number++)
    await store.users.add({
      ...{ id: `u${number}`, username: `Name ${USERS - number}`, role: number === 1 ? 'admin' : 'user' },
      ...{ teamId: 't', passwordHash: null, mustChangePassword: false, authProvider: 'local', email: null },
      ...{ createdAt: at(number), ...(number === 7 && { isService: true as const }) },
    })
  const userId = 'u1'
  for (const id of ['s2', 's1', 's3'])
    await store.sessions.add({
      ...{ id, userId, createdAt: at(1), expiresAt: at(9e6), lastSeenAt: at(2), loginMethod: 'oidc', logoutHint: 'x' },
    })
  const key = { userId, name: 'ci', prefix: 'abc', hash: 'h', permissions: ['a'], createdAt: at(3), lastUsedAt: null }
  await store.apiKeys.add({ id: 'k1', ...key, expiresAt: null })
  const recovery = { salt: 's', hashes: ['h'] }
  await store.factors.put({ id: userId, secret: 's', recovery, isOn: true, lastStep: 5, createdAt: at(4) })
  const passkey = { userId, publicKey: 'k', counter: 3, transports: ['usb'], isBackedUp: false, name: 'Key' }
  await store.passkeys.put({ id: 'p1', ...passkey, createdAt: at(5), lastUsedAt: at(6) })
  await store.identities.add({ id: 'i1', userId, provider: 'saml', createdAt: at(6) })
  await store.tickets.put({ id: 'x1', kind: 'used', userId: null, tries: 0, expiresAt: at(9e6) })
  await store.idempotencyKeys.put({
    ...{ id: 'r1', userId, fingerprint: 'f', runId: 'r', lockedUntil: at(7), createdAt: at(6), expiresAt: at(9e6) },
    answer: { status: 201, headers: { location: 'x' }, body: '{}' },
  })
  await store.webhooks.put({
    ...{ id: 'w1', userId, url: 'https://example.com/hook', events: ['job.failed'], description: 'Ops ✓', isOn: true },
    ...{ offReason: null, secret: 's', previous: null, failures: 2, createdAt: at(6), updatedAt: at(7) },
  })
  const attempt = { at: at(7), duration: 12, status: 500, error: 'The receiver answered with 500' }
  await store.deliveries.put({
    ...{ id: 'm1', userId, webhookId: 'w1', url: null, event: 'job.failed', jobId: 'j', payload: '{"type":"x"}' },
    ...{ status: 'pending', tries: 1, attempts: [attempt], dueAt: at(9), createdAt: at(7), expiresAt: at(9e6) },
  })
  await store.teams.add({ id: 't', name: 'Press', storageQuota: 5e9, retentionHours: null, createdAt: at(0) })
  const role = {
    description: '',
    permissions: ['tools:use'],
    toolPermissions: null,
    createdAt: at(1),
    updatedAt: at(2),
  }
  await store.roles.add({ id: 'r1', name: 'Editors', ...role })
  for (const name of ['brandName', '10', '9']) await store.settings.set(name, { value: `${name} ✓`, updatedAt: at(8) })
  await store.preferences.set(userId, { theme: 'dark' } as never)
  const steps = [{ toolId: 'image/resize', settings: { width: 5 } }]
  for (const id of ['pl2', 'pl1'])
    await store.pipelines.add({ id, userId, name: id, description: null, steps, createdAt: at(7) })
}

async function fillLibrary({ library }: Store, folder: string): Promise<void> {
  const about = { ownerId: 'u1', mimeType: 'image/png', width: 3, height: null, toolChain: ['image/resize'] }
  for (let number = 0; number < 8; number++) {
    const path = join(folder, 'source')
    let parentId: string | null = null
    for (let version = 1; version <= 1 + (number % 3); version++) {
      writeFileSync(path, number === 3 ? randomBytes(6_000_000) : `content ${number} ${version}`)
      const item = await library.add({ ...about, originalName: `F ${number}`, parentId, version }, path)
      parentId = item.id
    }
    writeFileSync(path, `replaced ${number}`)
    if (number === 2 && parentId) await library.replace(parentId, path, 'image/crop')
  }
}

async function addJob(
  { jobs, results }: Store,
  job: JobRecord,
  contents: Readonly<Record<string, Buffer>> = {},
): Promise<void> {
  await jobs.create(job)
  for (const [file, bytes] of Object.entries(contents)) await results.put(`${job.id}/${file}`, Readable.from([bytes]))
  await jobs.settle(job.id, 0)
}

async function fillJobs(store: Store, folder: string): Promise<void> {
  const { mkdirSync } = await import('node:fs')
  const add = async (job: JobRecord, contents: Readonly<Record<string, Buffer>> = {}): Promise<void> => {
    mkdirSync(join(folder, 'workspace', job.id), { recursive: true })
    await addJob(store, job, contents)
  }
  for (let minute = 0; minute < 210; minute++) await add(finishedJob(minute, { clientJobId: `c${minute}` }))
  const big = randomBytes(2_000_000)
  const members = [
    { index: 0, filename: 'a', state: 'done' as const, files: [fileOf('m-0', 3), fileOf('out', 2_000_000)] },
  ]
  const outputs = [fileOf('out', 2_000_000), fileOf('out.txt', 0)]
  await add(finishedJob(300, { type: 'batch', outputs, members, expiresAt: at(9e6) }), {
    ...{ out: big, 'out.txt': Buffer.alloc(0), 'm-0': Buffer.from('abc') },
  })
  // Expired: the record still names the files of the batch.
  await add(finishedJob(301, { type: 'batch', members, expiresAt: at(302) }))
  await add(finishedJob(303, { type: 'upload', toolId: null, outputs: [fileOf('in-0', 4)], expiresAt: at(9e6) }), {
    'in-0': Buffer.from('data'),
  })
  const error = { message: 'No', code: 'INVALID_FILE', status: 400 }
  await add(finishedJob(304, { ownerId: null, status: 'failed', error }))
}

/** Fills a data folder. */
export async function fillStore(folder: string): Promise<void> {
  await fillAudit(join(folder, 'audit'))
  const store = await openStore(folder, { auditRetentionDays: 0 })
  await fillAccounts(store)
  await fillLibrary(store, folder)
  await fillJobs(store, folder)
  await store.close()
}

async function hashOf(blobs: Blobs, key: string): Promise<string | undefined> {
  if (!(await blobs.stat(key))) return undefined
  const hash = createHash('sha256')
  for await (const chunk of (await blobs.open(key)) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}

const ALL = { limit: 1e6, offset: 0 }

async function libraryOf({ library }: Store): Promise<unknown> {
  const { items, total } = await library.list({ ownerId: undefined, ...ALL })
  const chains = []
  for (const { id } of items)
    for (const item of await library.versions(id)) {
      const { blobs, key } = await library.content(item.id)
      chains.push([item, await hashOf(blobs, key)])
    }
  return { total, chains, totals: await library.totals(), used: await library.usedBytes('u1') }
}

async function jobsOf({ jobs, results }: Store): Promise<unknown> {
  await jobs.complete()
  const { jobs: listed, total } = await jobs.ofOwner({ ownerId: undefined, ...ALL })
  const uploads = []
  for (const id of await jobs.idsOf('u1')) {
    const record = await jobs.get(id)
    if (record?.type === 'upload') uploads.push(record)
  }
  const files = []
  for (const { id, outputs, members = [] } of [...listed, ...uploads])
    for (const { file } of [...outputs, ...members.flatMap((one) => one.files ?? [])])
      files.push([id, file, await hashOf(results, `${id}/${file}`)])
  const { durations, ...usage } = await jobs.usage(at(0))
  // They have no order.
  durations.sort((one, other) => one.type.localeCompare(other.type))
  return { total, listed, uploads, files, usage, durations, expired: (await jobs.expired(at(9.1e6))).sort() }
}

/** Everything that a store has, as a server sees it. */
export async function everythingOf(store: Store): Promise<Record<string, unknown>> {
  const users = await store.users.list()
  const audit = []
  for await (const entry of store.audit.entries({})) audit.push(entry)
  const { cutOff: _, breaks: __, ...check } = await store.audit.check()
  return {
    ...{ users, audit, check, sessions: await store.sessions.ofUser('u1'), keys: await store.apiKeys.list() },
    ...{ factors: await store.factors.list(), passkeys: await store.passkeys.list() },
    ...{ identities: await store.identities.list(), ticket: await store.tickets.byId('x1') },
    ...{ teams: await store.teams.list(), roles: await store.roles.list(), settings: await store.settings.all() },
    ...{ preferences: await store.preferences.of('u1'), pipelines: await store.pipelines.ofOwner(undefined) },
    idempotencyKeys: await store.idempotencyKeys.list(),
    ...{ library: await libraryOf(store), jobs: await jobsOf(store), counted: await store.users.countOfRole('admin') },
    byName: await store.users.byName('name 5'),
  }
}
