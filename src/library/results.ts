import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FinishedOutput } from '../local/output-paths.ts'

/** What every output has. */
interface AnyOutput {
  /** File name, without folders. */
  name: string
  /** MIME type. */
  type: string
  bytes: number
  /** The variant of a pipeline that has several. */
  variant?: string
}

/** The forms in which outputs are returned, and what each has besides the facts of `AnyOutput`. */
export interface OutputForms {
  /** A finished file. */
  file: { path: string }
  buffer: { data: Buffer }
  blob: { data: Blob }
  /** Read it to its end or destroy it: its file exists until then. */
  stream: { data: Readable }
}

export type OutputForm = keyof OutputForms

export type Output<Form extends OutputForm = 'file'> = AnyOutput & OutputForms[Form]

type Deliver<Form extends OutputForm> = (path: string, type: string) => Promise<OutputForms[Form]>

const DELIVER: { [Form in OutputForm]: Deliver<Form> } = {
  file: async (path) => ({ path }),
  buffer: async (path) => ({ data: await readFile(path) }),
  // In memory: a Blob of a file (openAsBlob) would need the file for as long as the Blob exists.
  blob: async (path, type) => ({ data: new Blob([await readFile(path)], { type }) }),
  stream: async (path) => ({ data: createReadStream(path) }),
}

/** The outputs of a run in the requested form. @param remove removes the folder that they are in, once nothing reads it */
export async function deliver<Form extends OutputForm>(
  form: Form,
  outputs: readonly FinishedOutput[],
  remove: () => Promise<void>,
): Promise<Output<Form>[]> {
  const delivered: Output<Form>[] = []
  try {
    for (const { path, bytes, type, variant } of outputs) {
      const about = { name: basename(path), type, bytes, ...(variant !== undefined && { variant }) }
      delivered.push({ ...about, ...(await (DELIVER[form] as Deliver<Form>)(path, type)) })
    }
  } finally {
    const open = form === 'stream' ? delivered.map((one) => (one as Output<'stream'>).data) : []
    const ends = Promise.allSettled(open.map((stream) => finished(stream, { cleanup: true })))
    if (open.length > 0) void ends.then(remove).catch(() => undefined)
    else await remove()
  }
  return delivered
}
