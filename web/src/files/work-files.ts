/** Files that the user works on. They stay between tools, so that a result is the input of the next one. */
import { signal } from '@preact/signals'

/** A step that led to a version of a file. */
interface Version {
  file: File
  /** What made it: the label of a tool, or undefined for the original. */
  by?: string
}

export interface WorkFile {
  id: number
  /** All versions; the last undone ones stay until something else is done. */
  versions: readonly Version[]
  /** The version in use. */
  at: number
}

let lastId = 0

export const workFiles = signal<readonly WorkFile[]>([])

export const asWorkFile = (file: File): WorkFile => ({ id: ++lastId, versions: [{ file }], at: 0 })

/** The file of the version in use. */
export function fileNow({ versions, at }: WorkFile): File {
  const version = versions[at]
  if (!version) throw new Error('A file without a version')
  return version.file
}

/** A file whose version in use was made from the one before. Undone versions are dropped. */
export function withStep(work: WorkFile, file: File, by: string): WorkFile {
  const versions = [...work.versions.slice(0, work.at + 1), { file, by }]
  return { ...work, versions, at: versions.length - 1 }
}

export function addFiles(files: readonly File[]): void {
  workFiles.value = [...workFiles.value, ...files.map(asWorkFile)]
}

export function removeFile(id: number): void {
  workFiles.value = workFiles.value.filter((one) => one.id !== id)
}

/** Goes back or forth in the history of a file. */
export function useVersion(id: number, at: number): void {
  workFiles.value = workFiles.value.map((one) => (one.id === id && one.versions[at] ? { ...one, at } : one))
}

/** Moves a file by places among the others: tools that join files take them in this order. */
export function moveFile(id: number, by: number): void {
  const list = [...workFiles.value]
  const from = list.findIndex((one) => one.id === id)
  const to = from + by
  const [moved] = list.slice(from, from + 1)
  if (from < 0 || to < 0 || to >= list.length || !moved) return
  list.splice(from, 1)
  list.splice(to, 0, moved)
  workFiles.value = list
}
