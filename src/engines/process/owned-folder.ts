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

/** Process numbers mean something within one machine, and on Linux within one container. */
export const MACHINE = createHash('sha256')
  .update(`${hostname()} ${textOf(() => readlinkSync('/proc/self/ns/pid'))}`)
  .digest('hex')
  .slice(0, 8)

/** Start time of a process, and whether it is running, from /proc if available; PIDs are reused. */
function processState(processId: number): { started: string; hasEnded: boolean } {
  const stat = textOf(() => readFileSync(`/proc/${processId}/stat`, 'utf8'))
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19] ?? '0', hasEnded: fields[0] === 'Z' }
}

const OWNER = `${MACHINE}-${process.pid}-${processState(process.pid).started}`

/** A new folder of this process. Its name holds the process id, so that the next process can remove it after a kill. */
export function makeOwnedFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${OWNER}-`))
}

function isAlive(processId: number, started: string): boolean {
  try {
    process.kill(processId, 0)
  } catch (error) {
    // EPERM: it exists, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = processState(processId)
  return !now.hasEnded && (started === '0' || now.started === '0' || now.started === started)
}

/** Whether the name of a folder contains the PID of a process of this machine that has ended. */
function isLeft(owner: string): boolean {
  const [, machine, processId, started] = /^([0-9a-f]{8})-(\d+)-(\d+)(?:-\w{6})?$/.exec(owner) ?? []
  return machine === MACHINE && !isAlive(Number(processId), started!)
}

const looked = new Set<string>()

/** Removes what processes of this machine that are no more left in a folder; looks once per folder. */
export async function removeLeftFolders(parent: string, prefix: string): Promise<void> {
  const key = join(resolve(parent), prefix)
  if (looked.has(key)) return
  looked.add(key)
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix) || !isLeft(name.slice(prefix.length))) continue
    // Folders that cannot be removed, such as those of other users, are left.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** One file for each living process with the folders that it has folders in, a line for each. */
const PLACES = join(cacheFolder(), 'places')
const noted = new Set<string>()

/**
 * Records that this process creates folders next to outputs in `parent`, so that the next run finds them after a kill, even
 * if it writes elsewhere. Without a cache folder, only a run in the same folder finds them.
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
    // No cache, no note.
  }
}

/** Removes what killed processes left in the folders that they noted. */
async function removeNotedFolders(prefix: string): Promise<void> {
  for (const owner of await readdir(PLACES).catch(() => [])) {
    if (!isLeft(owner)) continue
    const file = join(PLACES, owner)
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
    for (const line of lines) {
      try {
        await removeLeftFolders(JSON.parse(line) as string, prefix)
      } catch {
        // The end of the file, or a line that was cut off by the kill.
      }
    }
    await rm(file, { force: true }).catch(() => undefined)
  }
}

let sweep: Promise<void> | undefined

/**
 * Clears a folder that outputs go to, and others that killed processes wrote to, of what these left, before this process makes
 * a folder of its own there.
 */
export async function prepareOwnedFolder(parent: string, prefix: string): Promise<void> {
  await removeLeftFolders(parent, prefix)
  sweep ??= removeNotedFolders(prefix)
  await sweep
  await notePlace(resolve(parent))
}

/** Creates a folder of this process next to outputs. @param parent must exist @throws MediaprocError PERMISSION_DENIED */
export function makeFolderBeside(parent: string, prefix: string): string {
  try {
    return makeOwnedFolder(parent, prefix)
  } catch (error) {
    // A folder that is there and says so takes none, as /proc.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw takesNoFolder(parent, error)
    throw error
  }
}
