import { createHash } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { cacheFolder } from '../../cache-folder.ts'
import { makeFolder, takesNoFolder } from '../../make-folder.ts'

function textOf(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Process ids are unique within one machine, and on Linux within one container. */
export const MACHINE = createHash('sha256')
  .update(`${hostname()} ${textOf(() => readlinkSync('/proc/self/ns/pid'))}`)
  .digest('hex')
  .slice(0, 8)

/** Start time of a process and whether it still runs, where /proc is available; process ids are reused. */
function processState(processId: number): { started: string; hasEnded: boolean } {
  const stat = textOf(() => readFileSync(`/proc/${processId}/stat`, 'utf8'))
  // The program name, in brackets, can contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19] ?? '0', hasEnded: fields[0] === 'Z' }
}

const OWNER = `${MACHINE}-${process.pid}-${processState(process.pid).started}`

/**
 * Creates a folder for this process. Its name contains the process id, so that another process can remove it after a
 * kill.
 */
export function makeOwnedFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${OWNER}-`))
}

function isAlive(processId: number, started: string): boolean {
  try {
    process.kill(processId, 0)
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = processState(processId)
  return !now.hasEnded && (started === '0' || now.started === '0' || now.started === started)
}

/** Whether, by its suffix, a folder belongs to a process of this machine that no longer exists. */
function isLeft(owner: string): boolean {
  const [, machine, processId, started = ''] = /^([0-9a-f]{8})-(\d+)-(\d+)(?:-\w{6})?$/.exec(owner) ?? []
  return machine === MACHINE && !isAlive(Number(processId), started)
}

const looked = new Set<string>()

/** Removes leftovers of dead processes of this machine from a folder; checks each folder once. */
export async function removeLeftFolders(parent: string, prefix: string): Promise<void> {
  const key = join(resolve(parent), prefix)
  if (looked.has(key)) return
  looked.add(key)
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix) || !isLeft(name.slice(prefix.length))) continue
    // Items that cannot be removed, such as another user's, are left to their owner.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** One file per running process that lists its parent folders, one per line. */
const PLACES = join(cacheFolder(), 'places')
const noted = new Set<string>()

/**
 * Records that this process creates folders next to outputs in `parent`, so that after a kill the next run finds them,
 * wherever it writes itself. Without a cache folder, only a run in the same folder finds them.
 */
async function notePlace(parent: string): Promise<void> {
  if (noted.has(parent)) return
  noted.add(parent)
  const file = join(PLACES, OWNER)
  try {
    if (noted.size === 1) {
      await makeFolder(PLACES, 0o700)
      process.once('exit', () => rmSync(file, { force: true }))
    }
    appendFileSync(file, `${JSON.stringify(parent)}\n`, { mode: 0o600 })
  } catch {
    // No record without a cache.
  }
}

/** Removes leftovers of killed processes from the folders that they recorded. */
async function removeNotedFolders(prefix: string): Promise<void> {
  for (const owner of await readdir(PLACES).catch(() => [])) {
    if (!isLeft(owner)) continue
    const file = join(PLACES, owner)
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
    for (const line of lines) {
      try {
        await removeLeftFolders(JSON.parse(line) as string, prefix)
      } catch {
        // The end of the file, or a line cut off by the kill.
      }
    }
    await rm(file, { force: true }).catch(() => undefined)
  }
}

let sweep: Promise<void> | undefined

/**
 * Removes leftovers of killed processes from an output folder, and from other folders they wrote to, before this
 * process creates its own folder there.
 */
export async function prepareOwnedFolder(parent: string, prefix: string): Promise<void> {
  await removeLeftFolders(parent, prefix)
  sweep ??= removeNotedFolders(prefix)
  await sweep
  await notePlace(resolve(parent))
}

/**
 * Creates a folder of this process next to outputs. @param parent must exist @throws MediaprocError PERMISSION_DENIED
 */
export function makeFolderBeside(parent: string, prefix: string): string {
  try {
    return makeOwnedFolder(parent, prefix)
  } catch (error) {
    // Some folders exist but cannot contain others, such as /proc.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw takesNoFolder(parent, error)
    throw error
  }
}
