import { isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The path of a file relative to a folder, with forward slashes; undefined for files outside of it, and for inputs that
 * are no files.
 * @param root absolute
 */
export function pathInside(root: string, file: string): string | undefined {
  if (file === '-' || /^https?:/i.test(file)) return undefined
  const path = relative(root, resolve(file))
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? undefined : path.split(sep).join('/')
}

/** A relative URI (RFC 3986) of a path with forward slashes. */
export const relativeUri = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The URI of an input that is not inside the folder. */
export function absoluteUri(file: string): string {
  if (file === '-') return 'stdin:'
  return /^https?:/i.test(file) ? encodeURI(file) : pathToFileURL(file).href
}
