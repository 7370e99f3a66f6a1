import { readFile, realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { MediaFile } from '../../../../src/media/file.ts'
import { sniffBytes } from '../../../../src/media/sniff.ts'

/** Picture types that browsers show. */
const SHOWN: readonly string[] = ['png', 'jpg', 'gif', 'webp', 'avif', 'svg']

/** Larger files are not embedded, bytes. */
const LARGEST = 64 * 2 ** 20

/**
 * Reads the pictures that a local document references: from its folder and the folders in it, never from elsewhere, also not
 * through `..` or links. Undefined for documents that were sent to a server.
 */
export function picturesBeside({ folder }: MediaFile): ((address: string) => Promise<string | undefined>) | undefined {
  if (folder === undefined) return undefined
  return async (address) => {
    // A scheme, a host, or a path from the root.
    if (/^([a-z][a-z0-9+.-]*:|[/\\])/i.test(address)) return undefined
    try {
      const path = await realpath(resolve(folder, decodeURIComponent(address.replace(/[?#].*$/s, ''))))
      const inside = relative(await realpath(folder), path)
      if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside)
        return undefined
      const about = await stat(path)
      if (!about.isFile() || about.size > LARGEST) return undefined
      const bytes = await readFile(path)
      const { id, mime } = sniffBytes(bytes)
      return SHOWN.includes(id) ? `data:${mime};base64,${bytes.toString('base64')}` : undefined
    } catch {
      // It does not exist or cannot be read: it is reported as omitted.
      return undefined
    }
  }
}
