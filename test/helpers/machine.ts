import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { programsOf } from './pool.ts'
import type { Served } from './server.ts'

/** Whether this machine has Linux's process information. */
export const HAS_PROC = existsSync('/proc/self/fd')

/** All descendants of a process, children first. */
export function processesBelow(processId: number): number[] {
  const own = programsOf(processId)
  return [...own, ...own.flatMap(processesBelow)]
}

/** The targets of a process's descriptors. */
function descriptorsOf(processId: number): string[] {
  return readdirSync(`/proc/${processId}/fd`).flatMap((name) => {
    try {
      return readlinkSync(`/proc/${processId}/fd/${name}`)
    } catch {
      return []
    }
  })
}

/** The open files of a process. */
export function openFiles(processId: number): string[] {
  return descriptorsOf(processId).filter((target) => target.startsWith('/'))
}

/** Number of TCP connections of a process, in any state, without the listening socket. */
export function connectionsOf(processId: number): number {
  const own = new Set(descriptorsOf(processId))
  // Columns of /proc/net/tcp (proc(5)): state in the fourth, 0A = listening; inode in the tenth.
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${processId}/net/${table}`, 'utf8').split('\n').slice(1),
  )
  return rows.filter((row) => {
    const columns = row.trim().split(/ +/)
    return columns[3] !== '0A' && own.has(`socket:[${columns[9]}]`)
  }).length
}

/** Resident memory of a process in bytes, as the system counts it; `peak` is its maximum so far. */
export function memoryOf(processId: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8')
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1])
  return { now: kibibytes('VmRSS') * 1024, peak: kibibytes('VmHWM') * 1024 }
}

/**
 * All files below a folder, as paths relative to it; empty folders end in '/'. A folder that a running server removes
 * meanwhile, such as that of a refused job, is omitted.
 */
export function filesBelow(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = join(prefix, entry.name)
    if (!entry.isDirectory()) return path
    try {
      const inner = filesBelow(folder, path)
      return inner.length > 0 ? inner : `${path}/`
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
}

/** A raw connection to the server, byte by byte. */
export interface RawConnection {
  socket: Socket
  /** All bytes received so far. */
  text(): string
  /** Resolves with all received bytes when the connection has ended. */
  ended: Promise<string>
}

/** Opens a connection and sends bytes. */
export async function openRaw(server: Served, bytes: string | Buffer = ''): Promise<RawConnection> {
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  if (bytes.length > 0) socket.write(bytes)
  return { socket, text: () => text, ended }
}

/** Status and JSON body of a raw response. */
export function parseAnswer(text: string): { status: number; json: Record<string, unknown> } {
  const [head, body = ''] = text.split('\r\n\r\n') as [string, string?]
  return { status: Number(head.split(' ')[1]), json: JSON.parse(body) }
}

/** The head of a form request to a route. */
export function formHead(
  path: string,
  token: string,
  more: readonly string[] = ['transfer-encoding: chunked'],
): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: test',
    `authorization: Bearer ${token}`,
    'content-type: multipart/form-data; boundary=edge',
    ...more,
  ]
  return `${head.join('\r\n')}\r\n\r\n`
}

/** One chunk of a body in chunked transfer. */
export const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** The start of a file part. */
export const filePart = (name: string): string =>
  `--edge\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
