import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readlinkSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'

function textOf(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

/** Process numbers mean something within one machine, and on Linux within one container. */
const MACHINE = createHash('sha256')
  .update(`${hostname()} ${textOf(() => readlinkSync('/proc/self/ns/pid'))}`)
  .digest('hex')
  .slice(0, 8)

/** When a process started and whether it still runs, where /proc tells; numbers of processes are used again. */
function processState(processId: number): { started: string; hasEnded: boolean } {
  const stat = textOf(() => readFileSync(`/proc/${processId}/stat`, 'utf8'))
  // The name of the program, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { started: fields[19] ?? '0', hasEnded: fields[0] === 'Z' }
}

const OWNER = `${MACHINE}-${process.pid}-${processState(process.pid).started}`

/** A new folder of this process, whose name says whose it is: whoever comes after a kill may remove it. */
export function makeOwnedFolder(parent: string, prefix: string): string {
  return mkdtempSync(join(parent, `${prefix}${OWNER}-`))
}

function isAlive(processId: number, started: string): boolean {
  try {
    process.kill(processId, 0)
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = processState(processId)
  return !now.hasEnded && (started === '0' || now.started === '0' || now.started === started)
}

const looked = new Set<string>()

/** Removes what processes of this machine that are no more left in a folder; looks once per folder. */
export async function removeLeftFolders(parent: string, prefix: string): Promise<void> {
  const key = join(resolve(parent), prefix)
  if (looked.has(key)) return
  looked.add(key)
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const [, machine, processId, started] = /^([0-9a-f]{8})-(\d+)-(\d+)-\w{6}$/.exec(name.slice(prefix.length)) ?? []
    if (machine !== MACHINE || isAlive(Number(processId), started!)) continue
    // What cannot be removed, such as another user's, is left to its owner.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined)
  }
}
