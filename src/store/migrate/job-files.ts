import type { JobRecord } from '../job-record.ts'
import type { Content } from './dump.ts'

/** The results and uploads that a record names; their keys are the same in every store. */
export function contentsOf({ id, outputs, members = [] }: JobRecord): Content[] {
  const contents = new Map<string, Content>()
  const add = (mayBeGone: boolean, file: string, bytes: number): void => {
    const key = `${id}/${file}`
    if (!contents.has(key)) contents.set(key, { key, name: key, bytes, mayBeGone })
  }
  for (const { file, bytes } of outputs) add(false, file, bytes)
  for (const { files = [] } of members) for (const { file, bytes } of files) add(outputs.length === 0, file, bytes)
  return [...contents.values()]
}
