import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { builtFile } from '../../root.ts'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** A file of the console: its bytes, and the same compressed. */
export interface Asset {
  type: string
  plain: Buffer
  brotli: Buffer
}

const fileIn = (name: string): URL => builtFile(`web/${name}`)

/** Names of the files with hashes in their names, which never change; empty without a build. */
export function assetNames(): string[] {
  try {
    return readdirSync(fileIn('assets/')).filter((name) => !name.endsWith('.br'))
  } catch {
    return []
  }
}

/** Loaded once each: the console is smaller than a picture. */
const assets = new Map<string, Promise<Asset>>()

export function readAsset(name: string): Promise<Asset> {
  const known = assets.get(name)
  if (known) return known
  const load = async (): Promise<Asset> => {
    const [plain, brotli] = await Promise.all([
      readFile(fileIn(`assets/${name}`)),
      readFile(fileIn(`assets/${name}.br`)),
    ])
    return { type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream', plain, brotli }
  }
  const loaded = load()
  assets.set(name, loaded)
  // The next request tries again.
  loaded.catch(() => assets.delete(name))
  return loaded
}

/** Places in the page that the server fills in. */
const [BASE, ERROR] = ['<meta charset="utf-8">', '<!-- error -->']

interface ConsolePage {
  html: string
  etag: string
}

let template: string | undefined

/** Pages by base and error: as many as there are depths of addresses and sentences. */
const pages = new Map<string, ConsolePage>()

/**
 * The page of the console.
 * @param base address of the console, relative to the page or absolute
 * @param error why a sign-in elsewhere failed; a sentence of ours
 */
export async function consolePage(base: string, error = ''): Promise<ConsolePage> {
  const key = `${base} ${error}`
  const known = pages.get(key)
  if (known) return known
  template ??= await readFile(fileIn('index.html'), 'utf8')
  const html = template.replace(BASE, `${BASE}\n    <base href="${base}">`).replace(ERROR, error)
  const made = { html, etag: `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"` }
  pages.set(key, made)
  return made
}
