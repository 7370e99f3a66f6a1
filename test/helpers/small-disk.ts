import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEveryFile } from './clean-up.ts'

const mounted: string[] = []

afterEveryFile(() => {
  for (const folder of mounted.splice(0)) {
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * A disk in memory; undefined if this user may not mount one. Removed after the test file.
 * @param size as for `mount`
 */
export function mountSmallDisk(size = '16m'): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'mediaproc-disk-'))
  mounted.push(folder)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', folder])
  return status === 0 ? folder : undefined
}

/** Writes a file until the disk has at most this number of free bytes. Call the result to remove it. */
export function fillDisk(folder: string, leave = 0): () => void {
  const path = join(folder, 'filler')
  const block = Buffer.alloc(64 * 1024, 1)
  const file = openSync(path, 'w')
  const room = openSync(join(folder, 'room'), 'w')
  writeSync(room, Buffer.alloc(leave, 1))
  try {
    for (let size = block.length; size >= 512; ) {
      try {
        writeSync(file, block, 0, size)
      } catch {
        size /= 2
      }
    }
  } finally {
    closeSync(file)
    closeSync(room)
    rmSync(join(folder, 'room'))
  }
  return () => rmSync(path)
}
